"""From a file nobody has tidied to a report, with the commands of the README alone."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from bayfold.core.frames.files import read_file

N_ROWS = 240


def write_table(path: str, header: list[str], rows: list, **options) -> None:
    """A CSV file as another program would write it."""
    encoding = options.pop("encoding", "utf-8")
    with Path(path).open("w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, **options)
        writer.writerows([header, *rows])


def write_churn() -> str:
    """Money, `n/a`, dates and an identifier; two classes."""
    rng = np.random.default_rng(1)
    rows = []
    for k in range(N_ROWS):
        tenure = int(rng.gamma(2, 12))
        calls = int(rng.poisson(2))
        leaves = rng.random() < 1 / (1 + np.exp(1 + 0.05 * tenure - calls))
        day = np.datetime64("2024-01-01") + int(rng.integers(0, 600))
        fee = f"${rng.integers(9, 3000):,.2f}"
        told = "n/a" if k % 17 == 0 else calls
        rows.append([f"C{k:05}", fee, tenure, told, day, "yes" if leaves else "no"])
    write_table("churn.csv", ["id", "fee", "tenure", "calls", "since", "churn"], rows)
    return "churn"


def write_rents() -> str:
    """A German table: semicolons, decimal commas, units, umlauts in cp1252; the target is money."""
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(N_ROWS):
        area = float(rng.gamma(9, 8))
        rent = f"{area * 11 * np.exp(rng.normal() * 0.1):,.2f} €"
        rent = rent.replace(",", " ").replace(".", ",").replace(" ", ".", rent.count(","))
        street = str(rng.choice(["Hauptstraße", "Müllerweg", "Gänseallee"]))
        rows.append([street, f"{area:.1f} m²".replace(".", ","), rent])
    write_table("rents.csv", ["Straße", "Fläche", "Miete"], rows, delimiter=";", encoding="cp1252")
    return "Miete"


def write_reviews() -> str:
    """A sentence and a number; two classes."""
    rng = np.random.default_rng(3)
    plain = ["the", "product", "arrived", "today", "for", "my", "kitchen", "with", "a", "box"]
    sides = (["great", "love", "excellent"], ["broken", "awful", "refund"])
    rows = []
    for _ in range(N_ROWS):
        side = int(rng.random() < 0.5)
        words = [*rng.choice(plain, 8), *rng.choice(sides[side], 2)]
        rng.shuffle(words)
        rows.append([" ".join(words) + ".", int(rng.integers(1, 6)), ("good", "bad")[side]])
    write_table("reviews.csv", ["review", "stars", "verdict"], rows)
    return "verdict"


def write_letters() -> str:
    """Numbers alone; 26 classes."""
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(26, 6)) * 3
    rows = []
    for k in range(26 * 20):
        numbers = np.round(centres[k % 26] + rng.normal(size=6), 2)
        rows.append([*numbers, chr(65 + k % 26)])
    write_table("letters.csv", [*"uvwxyz", "letter"], rows)
    return "letter"


def write_prices() -> str:
    """A numeric target, with gaps in all columns."""
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(N_ROWS):
        size = rng.gamma(5, 20)
        kind = str(rng.choice(["flat", "house"]))
        price = round(size * (3 if kind == "house" else 2) + rng.normal() * 10, 1)
        rows.append([round(size, 1) if rng.random() > 0.1 else "", kind, price])
    write_table("prices.csv", ["size", "kind", "price"], rows)
    return "price"


@pytest.mark.parametrize(
    ("name", "write", "said", "answers"),
    [
        ("churn", write_churn, "2 classes: classification", ["prediction", "probability_no"]),
        ("rents", write_rents, "€' is 1234.5): regression", ["prediction", "lower_90"]),
        ("reviews", write_reviews, "2 classes: classification", ["prediction", "probability_bad"]),
        ("letters", write_letters, "26 classes: classification", ["prediction", "probability_A"]),
        ("prices", write_prices, "numbers with decimals: regression", ["prediction", "lower_90"]),
    ],
)
def test_from_a_file_to_a_report(folder, run, name, write, said, answers):
    target = write()
    model = f"{name}.bayfold"
    done = run("fit", f"{name}.csv", "--target", target, "-o", model, "--report", f"{name}.html")
    assert said in done.stderr
    run("predict", model, f"{name}.csv", "-o", "scored.csv")
    scored = read_file("scored.csv")
    before = read_file(f"{name}.csv")
    assert scored.names[: len(before.names) + 2] == [*before.names, *answers]
    assert scored.n_rows == before.n_rows
    guess = scored.vector("prediction")
    if "regression" in said:
        truth = scored.vector(target)
        numbers = truth if truth.dtype.kind == "f" else [as_number(cell) for cell in truth]
        assert np.corrcoef(numbers, guess)[0, 1] > 0.8
    else:
        assert (scored.vector(target) == guess).mean() > 0.7
    page = Path(f"{name}.html").read_text(encoding="utf-8")
    assert target in page


def as_number(cell: str) -> float:
    """``1.234,50 €`` by hand."""
    return float(cell.removesuffix(" €").replace(".", "").replace(",", "."))


def test_clusters_that_nobody_can_name_come_with_advice(folder, run):
    along = np.random.default_rng(6).random(400)
    rows = np.round(np.c_[along, along**2, 1 - along], 3).tolist()
    write_table("line.csv", ["u", "v", "w"], rows)
    found = run("cluster", "line.csv", "-o", "found.csv")
    assert "ask for a few: `--clusters 8` or less" in found.stderr
    few = run("cluster", "line.csv", "--clusters", "3", "-o", "few.csv")
    assert "ask for a few" not in few.stderr


def test_a_report_says_what_changed_since_another_model(folder, run):
    target = write_churn()
    run("fit", "churn.csv", "--target", target, "--drop", "tenure", "-o", "old.bayfold")
    run("report", "churn.csv", "--target", target, "-o", "new.html", "--against", "old.bayfold")
    page = Path("new.html").read_text(encoding="utf-8")
    assert "What changed" in page
    assert "New columns: tenure." in page
    run("fit", "churn.csv", "--target", "tenure", "-o", "number.bayfold")
    failed = run(
        "report", "churn.csv", "-t", target, "-o", "x.html", "--against", "number.bayfold", code=1
    )
    assert "`against` must be a model that predicts what" in " ".join(failed.stderr.split())
    assert not Path("x.html").exists()


def test_a_column_that_numbers_the_rows_is_named(folder, run):
    rng = np.random.default_rng(7)
    rows = [[5000 + k, 7 * k, round(rng.random(), 3), "ab"[k % 2]] for k in range(60)]
    write_table("ids.csv", ["customer", "seven", "x", "y"], rows)
    fit = ("fit", "ids.csv", "-t", "y", "-o", "m.bayfold", "--overwrite")
    assert "note: 'customer' goes up by one from row to row" in run(*fit).stderr
    assert "from row to row" not in run(*fit, "--drop", "customer").stderr


def test_dates_are_read_at_predict_as_they_were_at_fit(folder, run):
    rng = np.random.default_rng(8)
    days = np.sort(rng.integers(0, 365, 80))
    dates = (np.datetime64("2025-01-01") + days).astype(object)
    rows = [[f"{day:%m/%d/%Y}", "ab"[int(k > 180)]] for day, k in zip(dates, days, strict=True)]
    write_table("log.csv", ["day", "y"], rows)
    run("fit", "log.csv", "-t", "y", "-o", "m.bayfold")
    write_table("new.csv", ["day"], [["02/11/2025"], ["11/02/2025"]])
    run("predict", "m.bayfold", "new.csv", "-o", "scored.csv")
    assert read_file("scored.csv").vector("prediction").tolist() == ["a", "b"]
    run("predict", "m.bayfold", "new.csv", "--day-first", "-o", "other.csv")
    assert read_file("other.csv").vector("prediction").tolist() == ["b", "a"]
