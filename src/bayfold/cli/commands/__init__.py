"""One file per command: its options, and the few steps it takes."""

from bayfold.cli.commands.cluster import cluster
from bayfold.cli.commands.compare import compare
from bayfold.cli.commands.demo import demo
from bayfold.cli.commands.drift import drift
from bayfold.cli.commands.evaluate import evaluate
from bayfold.cli.commands.explain import explain
from bayfold.cli.commands.export import export
from bayfold.cli.commands.fit import fit
from bayfold.cli.commands.impute import impute
from bayfold.cli.commands.info import info
from bayfold.cli.commands.papers import papers
from bayfold.cli.commands.predict import predict
from bayfold.cli.commands.report import report
from bayfold.cli.commands.warmup import warmup
