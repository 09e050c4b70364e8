"""What is wrong with a file is said in words, and what to do."""

from __future__ import annotations

import io
import json
import struct
import zipfile

import numpy as np
import pytest

import bayfold
from bayfold.errors import ModelFileError
from bayfold.persist import arrays, checks
from bayfold.persist.archive import ARRAYS, DOCUMENT, MANIFEST, PROTOCOL
from tests.persist.models import fitted, saved
from tests.persist.mutations import document_of, entries_of, packed, with_document


def refuse(content, words):
    with pytest.raises(ModelFileError, match=words):
        bayfold.load(io.BytesIO(content))


@pytest.fixture(scope="module")
def content():
    return saved(fitted("two classes"))


def with_manifest(content, **changed):
    entries = entries_of(content)
    manifest = json.loads(entries[MANIFEST]) | changed
    return packed(entries | {MANIFEST: json.dumps(manifest).encode()}, sealed=False)


def test_something_else_is_no_model_file(content):
    refuse(b"", "which is none")
    refuse(b"age,income\n1,2\n", "which is none")
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("data.csv", "1,2")
    refuse(other.getvalue(), "which is none")
    refuse(with_manifest(content, format="another"), "which is none")


def test_a_newer_file_says_who_wrote_it(content):
    newer = with_manifest(content, protocol=PROTOCOL + 1, versions={"bayfold": "9.1"})
    refuse(newer, f"protocol {PROTOCOL + 1}, by bayfold 9.1. Install that version or a newer one")


@pytest.mark.parametrize("protocol", [0, -1, "1", 1.0, None, True])
def test_odd_protocols_are_damage(content, protocol):
    refuse(with_manifest(content, protocol=protocol), "the manifest does not fit")


def test_a_changed_bit_is_found_by_the_checksum(content):
    entries = entries_of(content)
    blob = bytearray(entries[ARRAYS])
    blob[7] ^= 1
    refuse(packed(entries | {ARRAYS: bytes(blob)}, sealed=False), "the checksum does not fit")


def test_a_file_that_ends_early_is_refused_wherever_it_ends(content):
    for end in range(4, len(content), 97):
        refuse(content[:end], "damaged|none")


def test_paths_in_the_file_lead_nowhere(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refuse(packed(entries_of(content) | {"../evil": b"x"}), "the list of entries")
    refuse(packed(entries_of(content) | {"/tmp/evil": b"x"}), "the list of entries")
    assert list(tmp_path.iterdir()) == []


def test_an_entry_that_comes_twice_is_refused(content):
    twice = io.BytesIO(content)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(twice, "a") as file:
        file.writestr(DOCUMENT, "{}")
    refuse(twice.getvalue(), "the list of entries")


def test_zip_bombs_are_refused_before_they_are_read(content):
    bomb = b"\0" * (checks.UNSUSPICIOUS + 1)
    refuse(packed(entries_of(content) | {ARRAYS: bomb}), "do not trust a small file")
    refuse(packed(entries_of(content) | {MANIFEST: bomb}, sealed=False), "at most 65,536 bytes")


def test_a_size_that_is_more_than_it_says_is_damage(content):
    """The directory says one byte less than there is."""
    start = content.rindex(b"PK\x01\x02")
    size = struct.unpack_from("<I", content, start + 24)[0]
    changed = bytearray(content)
    struct.pack_into("<I", changed, start + 24, size - 1)
    refuse(bytes(changed), "damaged")


def test_long_directories_are_not_read(content):
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as file:
        for k in range(2000):
            file.writestr(f"{k}", b"")
    refuse(many.getvalue(), "the list of entries")


def test_what_is_written_is_never_taken_for_a_bomb(monkeypatch):
    monkeypatch.setattr(checks, "UNSUSPICIOUS", 100)
    monkeypatch.setattr(checks, "MOST_RATIO", 2)
    model = fitted("two classes")
    assert bayfold.load(io.BytesIO(saved(model))).classes_.tolist() == model.classes_.tolist()


def test_models_that_load_would_refuse_are_not_written(monkeypatch):
    monkeypatch.setattr(checks, "MOST_ARRAYS", 1000)
    with pytest.raises(ModelFileError, match="at most 1,000 bytes to be saved"):
        saved(fitted("two classes"))


def change(content, kind, **parts):
    """The file with other parts of the first object of a kind."""
    document = document_of(content)
    thing = next(entry for entry in document["objects"] if entry["kind"] == kind)
    thing["parts"] |= parts
    return with_document(content, document)


def change_array(content, kind, part, values):
    """The file with another array in a part of the first object of a kind."""
    document, entries = document_of(content), entries_of(content)
    thing = next(entry for entry in document["objects"] if entry["kind"] == kind)
    array = np.asarray(values)
    thing["parts"][part] = {"array": len(document["arrays"])}
    piece = len(document["pieces"])
    entry = {"dtype": array.dtype.str, "shape": list(array.shape), "piece": piece}
    document["arrays"].append(entry)
    document["pieces"].append([array.dtype.str, array.size])
    shuffled = array.ravel().view(np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()
    return packed(
        entries | {DOCUMENT: json.dumps(document).encode(), ARRAYS: entries[ARRAYS] + shuffled}
    )


def test_lies_in_the_document_are_found_out(content):
    refuse(change(content, "Schema", named="yes"), "`named` of Schema")
    refuse(change(content, "Schema", columns=[]), "the")
    refuse(change(content, "Schema", more=1), "the parts of Schema")
    refuse(change(content, "NumericColumn", name=5), "`name` of NumericColumn")
    refuse(change(content, "NumericColumn", scale=0.0), "a numeric column")
    refuse(change(content, "NumericColumn", max_values=2**70), "a numeric column")
    refuse(change(content, "NominalColumn", categories=["a", "a"]), "the categories")
    refuse(change(content, "TableTerm", column=10**6), "the columns of terms")
    refuse(change(content, "Predictor", model={"object": 10**6}), "a reference to an object")
    refuse(change(content, "Predictor", model={"object": 0}), "`model` of Predictor")
    refuse(change(content, "NaiveBayesModel", log_prior={"array": -1}), "a reference to an array")
    refuse(change(content, "NaiveBayesModel", terms=[]), "the columns of terms|the terms")


def test_a_file_of_another_version_says_so(content):
    document = document_of(content)
    document["objects"][0]["kind"] = "ModelOfTheFuture"
    changed = with_document(content, document)
    other = with_manifest(changed, versions={"bayfold": "9.1"})
    refuse(other, "the name of an object .* written by bayfold 9.1; this is ")


def test_the_root_is_a_model(content):
    for root in (5, [], {"list": []}, {"array": 0}, {"object": 10**6}):
        refuse(with_document(content, document_of(content) | {"root": root}), "root|a reference")
    refuse(with_document(content, {"root": 5}), "the document does not fit")
    refuse(with_document(content, []), "the document does not fit")


@pytest.mark.parametrize(
    "name", ["os.system", "Predictor ", "subprocess.Popen", "str", "", 5, None]
)
def test_nothing_is_made_but_what_is_registered(content, name):
    document = document_of(content)
    document["objects"][0]["kind"] = name
    refuse(with_document(content, document), "the name of an object")


def test_arrays_that_kernels_would_trip_over_are_refused(content):
    beyond = np.full(fitted("two classes").schema_.columns[0].n_bins, 10**6)
    refuse(change_array(content, "TableTerm", "merge", beyond), "the bins of a term")
    refuse(change_array(content, "TableTerm", "merge", 0 * beyond + 1), "the bins of a term")
    refuse(change_array(content, "TableTerm", "log_table", np.zeros((2, 2))), "the table of a term")
    narrow = fitted("two classes").statistics_.sample.narrow
    codes = np.full(narrow.shape, 255, np.uint8)
    refuse(change_array(content, "RowSample", "narrow", codes), "the codes of a sample")
    edges = np.array([1.0, 0.0])
    refuse(change_array(content, "NumericColumn", "edges", edges), "a numeric column")
    prior = fitted("two classes")._predictor.model.log_prior
    for odd in (prior.astype(np.float32), prior.astype(">f8"), prior[:, None], prior * np.nan):
        refuse(change_array(content, "NaiveBayesModel", "log_prior", odd), "the prior")


def test_trees_have_no_circles():
    model = fitted("tree")
    assert model.tree_.n_nodes > 1
    circle = np.zeros_like(model.tree_.child_of_code)
    refuse(change_array(saved(model), "NaiveBayesTree", "child_of_code", circle), "the children")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"dtype": "|O"}, "the type of an array"),
        ({"dtype": "<f16"}, "the type of an array"),
        ({"dtype": "float64"}, "the type of an array"),
        ({"dtype": "<c16"}, "the type of an array"),
        ({"dtype": "<V8"}, "the type of an array"),
        ({"dtype": "<U0"}, "the type of an array"),
        ({"dtype": "<f8,<f8"}, "the type of an array"),
        ({"dtype": "x" * 10**4}, "the type of an array"),
        ({"shape": [-1]}, "the shape of an array"),
        ({"shape": [2**62, 4]}, "the shape of an array"),
        ({"shape": [1] * 40}, "the shape of an array"),
        ({"shape": "12"}, "the shape of an array"),
        ({"piece": 10**9}, "a reference to a piece"),
        ({"piece": True}, "a reference to a piece"),
        ({"order": "K"}, "the order of an array"),
    ],
)
def test_headers_of_arrays_are_not_believed(content, header, words):
    document = document_of(content)
    for entry in document["arrays"]:
        entry |= header
    refuse(with_document(content, document), words)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([["<f8", 2**60]], "the length of a piece"),
        ([["<f8", -1]], "the length of a piece"),
        ([["<f8", 1]], "the length of the arrays"),
        ([["<f8"]], "a piece of the arrays"),
        ("none", "the table of arrays"),
    ],
)
def test_lengths_of_pieces_are_not_believed(content, pieces, words):
    refuse(with_document(content, document_of(content) | {"pieces": pieces}), words)


def test_arrays_that_stand_for_many_are_counted_as_many(content, monkeypatch):
    """One piece referred to by many arrays would be a bomb of another kind."""
    monkeypatch.setattr(arrays, "LEAST_BUDGET", 100)
    monkeypatch.setattr(arrays, "MOST_GROWTH", 1)
    refuse(content, "the size of all arrays")
    with pytest.raises(ModelFileError, match="bytes of memory to be saved"):
        saved(fitted("two classes"))


def test_documents_of_very_many_values_are_not_parsed(content):
    text = entries_of(content)[DOCUMENT]
    many = text[:-1] + b',"more":[' + b"[]," * (checks.MOST_JSON_VALUES // 2) + b"0]}"
    refuse(packed(entries_of(content) | {DOCUMENT: many}), "the size of the document")


def test_deep_nesting_is_refused(content):
    text = entries_of(content)[DOCUMENT]
    for opened, closed in ((b"[", b"]"), (b'{"list":[', b"]}")):
        deep = opened * 100_000 + closed * 100_000
        changed = text.replace(b'"named":true', b'"named":' + deep, 1)
        refuse(packed(entries_of(content) | {DOCUMENT: changed}), "damaged")


def test_numbers_that_json_does_not_have_are_refused(content):
    text = entries_of(content)[DOCUMENT]
    for odd in (b"NaN", b"Infinity", b"1e999", b"1" * 5000):
        changed = text.replace(b'"named":true', b'"named":' + odd, 1)
        refuse(packed(entries_of(content) | {DOCUMENT: changed}), "damaged")
