"""The commands: of each its options, and the few steps it takes."""

from bayfold.cli.commands.explain import explain
from bayfold.cli.commands.fit import fit
from bayfold.cli.commands.judging import compare, drift, evaluate
from bayfold.cli.commands.models import demo, export, info, papers, warmup
from bayfold.cli.commands.predict import predict
from bayfold.cli.commands.report import report
from bayfold.cli.commands.rows import cluster, impute
