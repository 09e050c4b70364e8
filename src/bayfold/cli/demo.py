"""The demonstration: a credit table drawn from a known model, fitted, scored and explained."""

from __future__ import annotations

import time

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, log_loss
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

from bayfold.datasets import make_credit
from bayfold.datasets.credit import CreditTable
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier

TEST_ROWS = 20_000
BAR_CHARACTERS = 8


def run_demo(n_rows: int, seed: int) -> None:
    """Generate, fit, compare and explain."""
    console = Console()
    train = make_credit(n_rows, random_state=seed)
    test = make_credit(TEST_ROWS, random_state=seed + 1)
    frame = train.frame
    missing = sum(column.null_count for column in frame.columns) / (
        frame.num_rows * frame.num_columns
    )
    console.print(
        f"A credit table of {frame.num_rows:,} rows and {frame.num_columns} columns: numbers, strings, a boolean, "
        f"{missing:.0%} of the cells missing; drawn from a known naive Bayes model, tested on {TEST_ROWS:,} new rows.\n"
    )
    started = time.perf_counter()
    model = NaiveBayesClassifier().fit(frame, train.target)
    seconds = time.perf_counter() - started
    console.print(_comparison(model, train, test))
    console.print(
        f"bayfold's fit took {seconds:.2f} s, compilation included if this was the first one.\n"
    )
    row = _surprising_row(test)
    console.print(_evidence_of(model, test, row))
    console.print(
        "Positive weights speak for 'paid', negative ones for 'default'; they add up to the log-odds. "
        "A missing cell says nothing. The README shows how to do this with your own table."
    )


def _comparison(model: NaiveBayesClassifier, train: CreditTable, test: CreditTable) -> RichTable:
    table = RichTable(title="On new rows", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("model", "accuracy", "log-loss"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    numbers = [name for name, column in train.columns.items() if column.dtype.kind == "f"]
    labels = [name for name in train.columns if name not in numbers]
    answers = {
        "bayfold NaiveBayesClassifier, table as it is": model.predict_proba(test.frame),
        "scikit-learn GaussianNB, imputed and one-hot": _peer(
            _gaussian_pipeline(numbers, labels, list(train.columns)), train, test
        ),
        "scikit-learn CategoricalNB, imputed and binned": _peer(
            _categorical_pipeline(numbers, labels, list(train.columns)), train, test
        ),
        "the true model, which nobody can beat": _two_columns(test.true_probability()),
    }
    for name, probability in answers.items():
        predicted = model.classes_[probability.argmax(axis=1)]
        accuracy = accuracy_score(test.target, predicted)
        loss = log_loss(test.target, probability, labels=model.classes_)
        table.add_row(name, f"{accuracy:.3f}", f"{loss:.4f}")
    return table


def _two_columns(probability_of_default: np.ndarray) -> np.ndarray:
    return np.stack([probability_of_default, 1 - probability_of_default], axis=1)


def _peer(pipeline: Pipeline, train: CreditTable, test: CreditTable) -> np.ndarray:
    return pipeline.fit(_as_matrix(train), train.target).predict_proba(_as_matrix(test))


def _as_matrix(credit: CreditTable) -> np.ndarray:
    """The table as scikit-learn's transformers take it without pandas: one object array."""
    columns = [column.astype(object) for column in credit.columns.values()]
    return np.array([[_text_or_number(cell) for cell in column] for column in columns], object).T


def _text_or_number(cell: object) -> object:
    return cell if cell is None or isinstance(cell, float) else str(cell)


def _gaussian_pipeline(numbers: list[str], labels: list[str], order: list[str]) -> Pipeline:
    transform = make_column_transformer(
        (SimpleImputer(strategy="median"), [order.index(name) for name in numbers]),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            [order.index(name) for name in labels],
        ),
    )
    return make_pipeline(transform, GaussianNB())


def _categorical_pipeline(numbers: list[str], labels: list[str], order: list[str]) -> Pipeline:
    binned = make_pipeline(
        SimpleImputer(strategy="median"),
        KBinsDiscretizer(
            10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
        ),
    )
    coded = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing", missing_values=None),
        OrdinalEncoder(),
    )
    transform = make_column_transformer(
        (binned, [order.index(name) for name in numbers]),
        (coded, [order.index(name) for name in labels]),
    )
    return make_pipeline(transform, CategoricalNB())


def _surprising_row(test: CreditTable) -> int:
    """A row near the boundary with one missing cell and evidence on both sides."""
    weights = test.true_weights()
    # from the table: a column that tells nothing has true weights of zero as well
    one_missing = sum(column.is_null().to_numpy().astype(int) for column in test.frame.columns) == 1
    contested = np.minimum(
        (weights * (weights > 0)).sum(axis=1), (-weights * (weights < 0)).sum(axis=1)
    )
    return int(np.argmax(np.where(one_missing, contested, -1.0)))


def _evidence_of(model: NaiveBayesClassifier, test: CreditTable, row: int) -> RichTable:
    records = model.explain(test.frame.slice(row, 1)).to_dict()
    truth = [-test.true_prior_log_odds, *(-test.true_weights()[row])]
    title = f"Evidence for one new row (it was: {test.target[row]})"
    table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("column", "value", "bin"):
        table.add_column(heading)
    table.add_column("weight", justify="right")
    table.add_column("true", justify="right")
    table.add_column("default | paid", no_wrap=True)
    entries = zip(
        *(records[name] for name in ("column", "value", "bin", "weight")), truth, strict=True
    )
    for column, value, bin_name, weight, true_weight in entries:
        shown = (column, value or "", "" if bin_name == value else bin_name or "")
        table.add_row(*shown, f"{weight:+.2f}", f"{true_weight + 0.0:+.2f}", _bar(weight))
    total = sum(records["weight"])
    true_total = sum(truth)
    probability, true_probability = (1 / (1 + np.exp(-x)) for x in (total, true_total))
    table.add_section()
    table.add_row("log-odds", "", "", f"{total:+.2f}", f"{true_total:+.2f}", _bar(total))
    table.add_row("p(paid)", "", "", f"{probability:.2f}", f"{true_probability:.2f}", "")
    return table


def _bar(weight: float) -> str:
    """A bar to the left for negative weights and to the right for positive ones."""
    length = min(round(abs(weight) * 4), BAR_CHARACTERS)
    left, right = ("", "█" * length) if weight > 0 else ("█" * length, "")
    return f"{left:>{BAR_CHARACTERS}}|{right:<{BAR_CHARACTERS}}"
