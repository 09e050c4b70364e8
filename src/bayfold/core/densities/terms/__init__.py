"""The kinds of term a column can add to the log joint, and the table of two columns."""

from bayfold.core.densities.terms.curve import CurveTerm
from bayfold.core.densities.terms.forms import CodedForm, Form, Line, ParabolaForm
from bayfold.core.densities.terms.interpolated import InterpolatedTerm
from bayfold.core.densities.terms.pair import PairTerm
from bayfold.core.densities.terms.protocol import PackedTerms, Packing, Summand, Term
from bayfold.core.densities.terms.quadratic import QuadraticTerm
from bayfold.core.densities.terms.table import TableTerm
from bayfold.core.densities.terms.text import TextTerm
