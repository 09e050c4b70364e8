"""Finding datasets by name: in a folder, and on OpenML (simulated: tests use no network)."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from bayfold.datasets import list_datasets, load_dataset, read_arff
from bayfold.errors import DatasetError

CLASSES = "@attribute x real\n@attribute y {a,b}\n@data\n1,a\n"
NUMBERS = "@attribute x real\n@attribute y real\n@data\n1,2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for task, name, text in [
        ("classification", "toy", CLASSES),
        ("classification", "both", CLASSES),
        ("regression", "both", NUMBERS),
        ("regression", "line.ORIG", NUMBERS),
    ]:
        (tmp_path / task).mkdir(exist_ok=True)
        (tmp_path / task / f"{name}.arff").write_text(text)
    monkeypatch.setenv("BAYFOLD_DATA", str(tmp_path))
    return tmp_path


def test_list_datasets(folder):
    assert list_datasets() == ["both", "line.ORIG", "toy"]
    assert list_datasets("classification") == ["both", "toy"]
    assert list_datasets(task="regression") == ["both", "line.ORIG"]


def test_every_listed_name_loads(folder):
    for task in ("classification", "regression"):
        for name in list_datasets(task):
            dataset = load_dataset(name, task=task)
            assert (dataset.name, dataset.task) == (name, task)


@pytest.mark.parametrize(
    ("name", "task", "message"),
    [
        ("tay", None, r"`name` must be a dataset in .*Got 'tay'. Did you mean 'toy'\?"),
        ("both", None, r"exists for classification and regression. Add `task="),
        ("toy", "regression", r"'toy', which is a classification dataset. Got 'regression'"),
    ],
)
def test_refused_names(folder, name, task, message):
    with pytest.raises(DatasetError, match=message):
        load_dataset(name, task=task)


@pytest.mark.parametrize("function", [list_datasets, lambda task: load_dataset("toy", task=task)])
def test_unknown_task(folder, function):
    with pytest.raises(ValueError, match=r"`task` must be one of .*Got 'ranking'"):
        function(task="ranking")


@pytest.mark.parametrize("value", [None, "", "no/such/folder"])
def test_list_needs_a_folder(monkeypatch, value):
    monkeypatch.delenv("BAYFOLD_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("BAYFOLD_DATA", value)
    with pytest.raises(DatasetError, match="BAYFOLD_DATA must name a folder"):
        list_datasets()


# What scikit-learn 1.9 returns for as_frame=False, parser="liac-arff", target_column=None:
# nominal columns, the target among them, as positions in `categories`.
def make_bunch(target="class", **changes):
    bunch = Bunch(
        data=np.array([[5.1, 1, 0], [np.nan, np.nan, 2], [4.0, 0, np.nan]]),
        target=None,
        frame=None,
        categories={"family": ["GB", "GK"], "class": ["1", "2", "U"]},
        feature_names=["width", "family", "class"],
        target_names=[],
        DESCR="**Author**: ...\n\nDownloaded from openml.org.",
        details={"id": "2", "name": "anneal", "version": "1", "default_target_attribute": target},
        url="https://www.openml.org/d/2",
    )
    bunch.update(changes)
    return bunch


@pytest.fixture
def openml(monkeypatch):
    monkeypatch.delenv("BAYFOLD_DATA", raising=False)

    def answer(result):
        def fetch_openml(name, *, version, target_column, as_frame, parser):
            assert (version, target_column, as_frame, parser) == (1, None, False, "liac-arff")
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)

    return answer


ANNEAL = (
    "@attribute width real\n@attribute family {GB,GK}\n@attribute class {1,2,U}\n@data\n"
    "5.1,GK,1\n?,?,U\n4,GB,?\n"
)


def test_openml_gives_what_the_file_would(openml, tmp_path):
    openml(make_bunch())
    downloaded = load_dataset("anneal")
    (tmp_path / "anneal.arff").write_text(ANNEAL)
    from_file = read_arff(tmp_path / "anneal.arff")
    assert downloaded.frame == from_file.frame
    assert downloaded.target.tolist() == from_file.target.tolist() == ["1", "U", None]
    assert repr(downloaded) == repr(from_file)
    assert downloaded.classes == ("1", "2", "U")


def test_openml_numeric_target(openml):
    openml(make_bunch(target="width"))
    dataset = load_dataset("anneal", task="regression")
    np.testing.assert_array_equal(dataset.target, [5.1, np.nan, 4.0])
    assert dataset.frame.column_names == ["family", "class"]


class Sparse:
    """Stands for the sparse matrix scikit-learn returns for a sparse file."""


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (ValueError("No active dataset x found."), "'x': No active dataset x found. Check"),
        (OSError("no route to host"), "'x': no route to host. Check the name on openml.org"),
        (make_bunch(target="a,b"), "its target is 'a,b', not one of its columns"),
        (make_bunch(data=Sparse()), "its rows are sparse"),
    ],
)
def test_openml_failures(openml, answer, message):
    openml(answer)
    with pytest.raises(DatasetError, match=message):
        load_dataset("x")


def test_openml_of_another_task(openml):
    openml(make_bunch())
    with pytest.raises(DatasetError, match=r"is a classification dataset. Got 'regression'"):
        load_dataset("anneal", task="regression")
