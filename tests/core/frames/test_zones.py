"""Times keep the zone they came with, wherever they came from, and are shown in it."""

import datetime
import re
import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayfold
from bayfold.core.evidence.bins import format_number, interval_label
from bayfold.core.frames import read_table
from bayfold.core.frames.concat import concat_tables
from bayfold.core.schema import Schema, infer_schema
from bayfold.errors import ColumnTypeError, DataWarning, SchemaError

BERLIN = "Europe/Berlin"
TIMES = pd.date_range("2024-03-30 12:00", periods=40, freq="h", tz=BERLIN)
"""In the night of the 31st the clock goes forward."""
FRAME = pd.DataFrame({"when": TIMES})

FRAMES = {
    "pandas": FRAME,
    "polars": pl.DataFrame(
        {"when": pl.Series(TIMES.tz_convert(None)).dt.replace_time_zone("UTC")}
    ).with_columns(pl.col("when").dt.convert_time_zone(BERLIN)),
    "arrow": pa.Table.from_pandas(FRAME),
    "objects": FRAME.astype(object),
    "mixed objects": pd.DataFrame(
        {"when": [TIMES[0].to_pydatetime().astimezone(ZoneInfo(BERLIN)), *TIMES[1:]]}, dtype=object
    ),
}


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_keeps_the_zone(library):
    (column,) = read_table(FRAMES[library]).columns
    assert column.zone == BERLIN
    assert column.take(np.array([3, 1])).zone == BERLIN
    assert column.numbers(0, 1)[0] == TIMES[0].timestamp()


@pytest.mark.parametrize(
    ("cells", "zone"),
    [
        (pd.Series([1.0, 2.0]), None),
        (pd.to_timedelta([1, 2], unit="h"), None),
        (pd.to_datetime(["2024-01-01", "2024-01-02"]), ""),
        ([datetime.date(2024, 1, 1)] * 2, ""),
        (pd.to_datetime(["2024-01-01", "2024-01-02"], utc=True), "UTC"),
        (
            [datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))]
            * 2,
            "+01:00",
        ),
    ],
)
def test_zones_of_other_columns(cells, zone):
    assert read_table(pd.DataFrame({"a": cells})).columns[0].zone == zone


def test_tables_below_each_other_keep_the_first_zone():
    other = pd.DataFrame({"when": TIMES.tz_convert("Asia/Tokyo")})
    empty = pd.DataFrame({"when": [None, None]})
    tables = [read_table(frame) for frame in (empty, FRAME, other)]
    assert concat_tables(tables).columns[0].zone == BERLIN


def test_the_schema_and_model_files_keep_the_zone(tmp_path):
    schema = infer_schema(read_table(FRAME))
    assert schema.columns[0].zone == BERLIN
    assert Schema.from_dict(schema.to_dict()).columns[0].zone == BERLIN
    model = bayfold.NaiveBayesClassifier().fit(FRAME, np.arange(40) < 20)
    model.save(tmp_path / "m.bayfold")
    assert bayfold.load(tmp_path / "m.bayfold").schema_.columns[0].zone == BERLIN


def test_another_zone_at_prediction_is_the_same_moment():
    model = bayfold.NaiveBayesClassifier().fit(FRAME, np.arange(40) < 20)
    other = pd.DataFrame({"when": TIMES.tz_convert("Asia/Tokyo")})
    np.testing.assert_array_equal(model.predict_proba(FRAME), model.predict_proba(other))


@pytest.mark.parametrize("at_fit", [TIMES, TIMES.tz_localize(None)])
def test_times_with_a_zone_and_times_without_are_told_apart(at_fit):
    now = at_fit.tz_localize(None) if at_fit.tz else at_fit.tz_localize(BERLIN)
    model = bayfold.NaiveBayesClassifier().fit(pd.DataFrame({"when": at_fit}), np.arange(40) < 20)
    asked = r"'when' must hold times (with|without) a time zone.* as it did at fit.*tz_localize\("
    with pytest.raises(SchemaError, match=asked) as refused:
        model.predict(pd.DataFrame({"when": now}))
    call = re.search(r"type (X.*?);", str(refused.value)).group(1)
    mended = eval(call, {"X": pd.DataFrame({"when": now})})  # what the message says to type
    probabilities = model.predict_proba(pd.DataFrame({"when": at_fit}))
    np.testing.assert_array_equal(model.predict_proba(mended.to_frame()), probabilities)
    gaps = pd.DataFrame({"when": now}).mask(np.ones((40, 1), bool))
    assert len(model.predict(gaps)) == 40  # missing cells may have any type


def test_times_without_a_zone_count_as_utc():
    utc = pd.DataFrame({"when": TIMES.tz_convert("UTC")})
    model = bayfold.NaiveBayesClassifier().fit(utc, np.arange(40) < 20)
    naive = utc.apply(lambda times: times.dt.tz_localize(None))
    with pytest.warns(
        DataWarning, match="'when' had times in UTC at fit, and now has times without"
    ):
        found = model.predict_proba(naive)
    np.testing.assert_array_equal(found, model.predict_proba(utc))
    other = bayfold.NaiveBayesClassifier().fit(naive, np.arange(40) < 20)
    with pytest.warns(
        DataWarning, match="times without a time zone at fit, and now has times in UTC"
    ):
        other.predict(utc)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(naive.assign(when=pd.NaT))


def test_batches_with_and_without_a_zone_are_refused():
    model = bayfold.NaiveBayesClassifier().partial_fit(FRAME, np.arange(40) < 20)
    with pytest.raises((SchemaError, ColumnTypeError), match=r"'when'.*time zone"):
        model.partial_fit(FRAME.apply(lambda times: times.dt.tz_localize(None)), np.arange(40) < 20)


def test_evidence_and_explanations_show_local_times():
    X = pd.DataFrame({"when": TIMES.repeat(5)})
    model = bayfold.NaiveBayesClassifier(numeric="equal_frequency").fit(X, np.arange(200) < 100)
    labels = model.evidence_["bin"].tolist()
    assert all(label.endswith(f" {BERLIN}") for label in labels[1:])
    assert model.explain(X[:1])["value"][1] == f"2024-03-30 12:00 {BERLIN}"
    assert f"2024-03-30 12:00 to 2024-04-01 04:00 {BERLIN}" in str(model.summary())


def test_words_follow_the_clock_of_the_zone():
    spring, summer = (
        pd.Timestamp("2024-03-31 00:30", tz="UTC"),
        pd.Timestamp("2024-03-31 01:30", tz="UTC"),
    )
    assert format_number(spring.timestamp(), BERLIN) == f"2024-03-31 01:30 {BERLIN}"
    assert format_number(summer.timestamp(), BERLIN) == f"2024-03-31 03:30 {BERLIN}"
    label = interval_label(spring.timestamp(), summer.timestamp(), BERLIN)
    assert label == f"2024-03-31 01:30 to 2024-03-31 03:30 {BERLIN}"


def test_a_zone_that_is_not_known_here_is_shown_as_utc():
    assert format_number(0.0, "Mars/Olympus") == "1970-01-01 UTC"
    assert format_number(-1e13, BERLIN).endswith(BERLIN)  # before year one
