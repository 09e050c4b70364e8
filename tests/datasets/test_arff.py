"""ARFF by WEKA's rules: what quotes, comments and question marks mean, and every refusal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.datasets import read_arff
from bayfold.errors import DatasetError


@pytest.fixture
def read(tmp_path):
    def read_text(text, encoding="utf-8"):
        path = tmp_path / "toy.arff"
        path.write_bytes(text.encode(encoding))
        return read_arff(path)

    return read_text


def labels_of(dataset, name):
    return dataset.frame[name].chunk(0).dictionary.to_pylist()


def test_small_file(read):
    dataset = read(
        "% about\n@RELATION toy\n\n@Attribute x REAL\n@attribute\tn integer [0,9]\n"
        "@attribute colour {red, 'light green' ,blue}\n@attribute class {no,yes}\n@Data % here\n"
        "1.5, 2,red,yes\n\n% between\n?,?,?,?\r\n-1e3 3\t'light green' no\n2,4,blue,no % after\n"
    )
    assert dataset.frame.to_pydict() == {
        "x": [1.5, None, -1000.0, 2.0],
        "n": [2.0, None, 3.0, 4.0],
        "colour": ["red", None, "light green", "blue"],
    }
    assert dataset.target.tolist() == ["yes", None, "no", "no"]
    assert (dataset.name, dataset.target_name, dataset.task) == ("toy", "class", "classification")
    assert repr(dataset) == (
        "Dataset('toy', classification: 4 rows, 2 numeric and 1 nominal columns, target 'class' "
        "with 2 classes)"
    )


def test_a_quoted_question_mark_is_a_value(read):
    dataset = read("@attribute a {'?',b}\n@attribute y {'?',b}\n@data\n'?',?\n?,\"?\"\nb,b\n")
    assert dataset.frame["a"].to_pylist() == ["?", None, "b"]
    assert dataset.target.tolist() == [None, "?", "b"]


def test_quoted_names_and_values(read):
    dataset = read(
        "@attribute 'a name, it\\'s long' {'x,y',\"it's\",'a\\\\b','{%}'}\n"
        "@attribute \"'K'\" numeric\n@data\n"
        "'x,y',1\n\"it's\",2\n'it\\'s',3\n'a\\\\b',4\n'{%}',5\n"
    )
    assert dataset.frame.to_pydict() == {
        "a name, it's long": ["x,y", "it's", "it's", "a\\b", "{%}"]
    }
    assert (dataset.target_name, dataset.task, dataset.classes) == ("'K'", "regression", ())
    assert dataset.target.tolist() == [1, 2, 3, 4, 5]


def test_declared_values_are_kept_in_order_even_if_no_row_has_them(read):
    dataset = read("@attribute a {z,m,a}\n@attribute y {c3,c1,c2}\n@data\na,c1\n")
    assert labels_of(dataset, "a") == ["z", "m", "a"]
    assert dataset.classes == ("c3", "c1", "c2")


def test_string_attributes_are_nominal_by_appearance(read):
    dataset = read("@attribute s string\n@attribute y numeric\n@data\nb,1\n'a c',2\n?,3\nb,?\n")
    assert dataset.frame["s"].to_pylist() == ["b", "a c", None, "b"]
    assert labels_of(dataset, "s") == ["b", "a c"]
    np.testing.assert_array_equal(dataset.target, [1, 2, 3, np.nan])


def test_no_rows(read):
    dataset = read("@attribute a {x}\n@attribute y real\n@data\n")
    assert (dataset.frame.num_rows, dataset.target.dtype, len(dataset.target)) == (0, float, 0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encodings(read, encoding):
    dataset = read("@attribute y {Köln,Bonn}\n@data\nKöln\n", encoding)
    assert dataset.target.tolist() == ["Köln"]


@given(value=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\t")))
def test_any_text_survives_quoting(value, tmp_path_factory):
    quoted = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    path = tmp_path_factory.mktemp("arff") / "toy.arff"
    path.write_bytes(f"@attribute y {{{quoted}}}\n@data\n{quoted}\n?\n".encode())
    assert read_arff(path).target.tolist() == [value, None]


HEADER = "@attribute x real\n@attribute y {no,yes}\n@data\n1,yes\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1,yes,2\n", r":5: a row must have 2 values.*Got 3: '1,yes,2'"),
        (HEADER + "1\n", r":5: a row must have 2 values.*Got 1: '1'"),
        (HEADER + "1,maybe\n", r":5: `y` must be one of .*\['no', 'yes'\]. Got 'maybe'"),
        (HEADER + "%\n\none,no\n", r":7: `x` must be a number. Got 'one'"),
        (HEADER + "'?',no\n", r":5: `x` must be a number. Got '\?'"),
        (HEADER + ",no\n", r":5: `x` must be a number. Got ''"),
        (HEADER + "{0 1, 1 yes}\n", r":5: rows must be dense. Got the sparse row '{0 1, 1 yes}'"),
        (HEADER + "1,'yes\n", r":5: every quote must be closed. Got \"'yes\""),
        ("@attribute d date\n@data\n", r":1: the type of `d` must be numeric, .*Got 'date'"),
        ("@attribute x\n@data\n", r":1: `@attribute` must have a name and a type"),
        ("@attribute x {a,b\n@data\n", r":1: the values of `x` must end with a brace"),
        ("@attribute x {a,a}\n@data\n", r":1: the values of `x` must differ"),
        ("@attribute x real\n@attribute x real\n", r":2: attribute names must differ. Got 'x'"),
        ("@attribute x real\n1,2\n", r":2: a header line must start with @relation"),
        ("@attribute x real\n", r":1: the header must end with `@data`"),
        ("", r":1: the header must end with `@data`"),
        ("@data\n1\n", r":1: `@data` must follow an `@attribute`"),
    ],
)
def test_refusals_name_the_file_and_line(read, text, message):
    with pytest.raises(DatasetError, match=r"toy\.arff" + message):
        read(text)
