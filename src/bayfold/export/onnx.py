"""A model in ONNX, in doubles throughout: near the edge of a bin, a float of 32 bits falls on the wrong side."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.densities.terms import CodedForm, ParabolaForm
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.kernels.score import LARGEST_SQUARE
from bayfold.core.scoring.distribution import triangle_means
from bayfold.export.plain import PlainColumn, PlainModel, PlainPair

OPSET = 17
OPSET_ML = 3
IR_VERSION = 8
"""Of 2022, when all operators used here took doubles: runtimes read what is older than they are."""

MAX_SQUARE = np.array(LARGEST_SQUARE)


def write_onnx(model: PlainModel) -> Any:
    """The model as an ``onnx.ModelProto``."""
    try:
        import onnx  # noqa: F401  (an extra: most users have none)
    except ImportError as error:
        raise errors.onnx_not_installed() from error
    names = [column.name for column in model.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise errors.names_alike("ONNX", twice)
    return OnnxWriter(model).write()


class OnnxWriter:
    """Adds nodes to a graph; what they compute is known by the names that are returned."""

    def __init__(self, model: PlainModel) -> None:
        self.model = model
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def write(self) -> Any:
        """The whole graph."""
        from onnx import TensorProto, helper

        model = self.model
        inputs = [
            helper.make_tensor_value_info(
                column.name,
                TensorProto.DOUBLE if column.categories is None else TensorProto.STRING,
                ["rows", 1],
            )
            for column in model.columns
        ]
        cells = [self._read_cell(column) for column in model.columns]
        summands = [
            self._weigh(column, *cell) for column, cell in zip(model.columns, cells, strict=True)
        ]
        summands += [self._weigh_pair(pair, [code for _, code in cells]) for pair in model.pairs]
        scores = self._add("Sum", self._constant(model.intercept[None, :]), *summands)
        outputs = self._answer(scores)
        graph = helper.make_graph(self.nodes, "bayfold", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
        made = helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="bayfold"
        )
        if lines := model.say_edits():
            helper.set_model_props(made, {"edits": "\n".join(lines)})
        return made

    def _add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """A node with one output, whose name is returned."""
        from onnx import helper

        output = f"bayfold:{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def _constant(self, value: Any) -> str:
        from onnx import numpy_helper

        name = f"bayfold:constant {len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    # cells to codes

    def _read_cell(self, column: PlainColumn) -> tuple[str, str]:
        """The cells of a column, and their codes, of shape (rows,)."""
        if column.categories is not None:
            return column.name, self._squeeze(self._find_categories(column))
        edges = column.form.edges if isinstance(column.form, CodedForm) else None
        if edges is None or len(edges) == 0:
            edges = np.array([np.inf])
        above = self._add("GreaterOrEqual", column.name, self._constant(edges[None, :]))
        count = self._add("ReduceSum", self._cast(above), self._constant([1]), keepdims=0)
        code = self._add("Add", count, self._constant(FIRST_BIN))
        for value, special in column.special_codes.items():
            equal = self._squeeze(self._add("Equal", column.name, self._constant(value)))
            code = self._add("Where", equal, self._constant(special), code)
        missing = self._squeeze(self._add("IsNaN", column.name))
        return column.name, self._add("Where", missing, self._constant(MISSING), code)

    def _find_categories(self, column: PlainColumn) -> str:
        codes = {"": MISSING}  # unless it is a category
        codes |= column.code_of
        return self._add(
            "LabelEncoder",
            column.name,
            domain="ai.onnx.ml",
            keys_strings=list(codes),
            values_int64s=list(codes.values()),
            default_int64=column.otherwise,
        )

    def _cast(self, flags: str) -> str:
        from onnx import TensorProto

        return self._add("Cast", flags, to=TensorProto.INT64)

    def _squeeze(self, name: str) -> str:
        return self._add("Squeeze", name, self._constant([1]))

    # codes to scores

    def _weigh(self, column: PlainColumn, cell: str, code: str) -> str:
        """What a column adds, of shape (rows, n_scores)."""
        form = column.form
        if isinstance(form, ParabolaForm):
            return self._weigh_parabolas(form, cell)
        value = self._add("Gather", self._constant(form.table), code)
        if form.line is None:
            return value
        origin, slope, offset = (
            self._add("Gather", self._constant(array[:, None]), code)
            for array in (form.line.origins, form.line.slopes, form.line.offsets)
        )
        gone = self._add("Mul", self._add("Sub", cell, origin), slope)
        share = self._add("Sub", gone, offset)
        within = self._add("Clip", share, self._constant(0.0), self._constant(1.0))
        known = self._add("Where", self._add("IsNaN", cell), self._constant(0.0), within)
        rise = self._add("Gather", self._constant(form.line.rises), code)
        return self._add("Add", value, self._add("Mul", known, rise))

    def _weigh_parabolas(self, form: ParabolaForm, cell: str) -> str:
        distance = self._add("Sub", cell, self._constant(form.mean[None, :]))
        z = self._add("Mul", distance, self._constant(form.inverse_sd[None, :]))
        half = self._add("Mul", self._add("Mul", z, z), self._constant(0.5))
        bounded = self._add("Min", half, self._constant(MAX_SQUARE))
        terms = self._add("Sub", self._constant(form.constant[None, :]), bounded)
        if self.model.n_scores < len(form.mean):
            first, second = (
                self._add("Gather", terms, self._constant([g]), axis=1) for g in (0, 1)
            )
            value = self._add("Sub", second, first)
        else:
            possible = np.flatnonzero(np.isfinite(form.constant))
            compared = self._add("Gather", terms, self._constant(possible), axis=1)
            average = self._add("ReduceMean", compared, axes=[1], keepdims=1)
            value = self._add("Sub", terms, average)
        missing = self._constant(form.missing[None, :])
        return self._add("Where", self._add("IsNaN", cell), missing, value)

    def _weigh_pair(self, pair: PlainPair, codes: list[str]) -> str:
        steps = zip(pair.columns, pair.steps, strict=True)
        place, *others = (self._add("Gather", self._constant(step), codes[j]) for j, step in steps)
        for more in others:
            place = self._add("Add", place, more)
        return self._add(
            "Gather", self._constant(pair.table.reshape(-1, self.model.n_scores)), place
        )

    # scores to answers

    def _answer(self, scores: str) -> list[Any]:
        model = self.model
        if model.is_rate:
            return self._outputs(self._squeeze(self._add("Exp", scores)), np.float64, None)
        if model.grid is not None:
            if model.statistic != "mean":
                raise errors.median_without_onnx()
            probabilities = self._correct(self._add("Softmax", scores, axis=1))
            means = self._constant(triangle_means(model.grid)[:, None])
            prediction = self._squeeze(self._add("MatMul", probabilities, means))
            return self._outputs(prediction, np.float64, probabilities)
        assert model.classes is not None
        classes = np.array(model.classes)
        if classes.dtype.kind not in "Uib":
            kinds = "strings, booleans or whole numbers of 64 bits"
            raise errors.unwritable_classes("ONNX", kinds, model.classes)
        probabilities = self._find_probabilities(scores, len(classes))
        best = self._add("ArgMax", probabilities, axis=1, keepdims=0)
        labels = classes.astype(object) if classes.dtype.kind == "U" else classes
        prediction = self._add("Gather", self._constant(labels), best)
        return self._outputs(prediction, labels.dtype, probabilities)

    def _correct(self, mass: str) -> str:
        """The mass of the points after a correction: cumulated, bent at each knot, and told apart again."""
        correction = self.model.correction
        if correction is None:
            return mass
        cumulated = self._add("CumSum", mass, self._constant(np.array(1)))
        slopes = np.diff(correction.levels) / np.diff(correction.knots)
        bent = self._add("Mul", cumulated, self._constant(slopes[:1]))
        for knot, bend in zip(correction.knots[1:-1], np.diff(slopes), strict=True):
            beyond = self._add(
                "Relu", self._add("Sub", cumulated, self._constant(np.array([knot])))
            )
            bent = self._add(
                "Add", bent, self._add("Mul", beyond, self._constant(np.array([bend])))
            )
        n_points = len(self.model.prior)
        apart = np.eye(n_points) - np.eye(n_points, k=1)
        return self._add("MatMul", bent, self._constant(apart))

    def _find_probabilities(self, scores: str, n_classes: int) -> str:
        prior = self._constant(self.model.prior[None, :])
        if n_classes == 1:
            return self._add("Add", self._add("Mul", scores, self._constant(0.0)), prior)
        if n_classes == 2:
            odds = self._add("Concat", self._add("Neg", scores), scores, axis=1)
            found = self._add("Sigmoid", odds)
        else:
            found = self._add("Softmax", scores, axis=1)
        # where every class is impossible, a sum is infinity less infinity
        return self._add("Where", self._add("IsNaN", found), prior, found)

    def _outputs(self, prediction: str, dtype: Any, probabilities: str | None) -> list[Any]:
        """The outputs, with names that no column has: two, or one without probabilities."""
        from onnx import TensorProto, helper

        taken = {column.name for column in self.model.columns}
        kinds = {"O": TensorProto.STRING, "i": TensorProto.INT64, "b": TensorProto.BOOL}
        kind = kinds.get(np.dtype(dtype).kind, TensorProto.DOUBLE)
        found = []
        n_groups = len(self.model.prior)
        wanted: list[tuple[str, str, int, list[str | int | None]]] = [
            ("prediction", prediction, kind, ["rows"])
        ]
        if probabilities is not None:
            wanted.append(("probabilities", probabilities, TensorProto.DOUBLE, ["rows", n_groups]))
        for name, source, of, shape in wanted:
            while name in taken:
                name += "_"
            self.nodes.append(helper.make_node("Identity", [source], [name]))
            found.append(helper.make_tensor_value_info(name, of, shape))
        return found
