"""Saving and loading whole models; documents of older protocols are brought to the current one step by step
(docs/model_files.md says how to add one).
"""

from __future__ import annotations

import json
import os
import platform
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy
import sklearn

from bayfold import errors
from bayfold.core.output_files import write_atomically
from bayfold.persist.archive import (
    CHECKPOINT,
    MANIFEST,
    MODEL,
    PROTOCOL,
    read_archive,
    write_archive,
)
from bayfold.persist.arrays import StoredArrays, find_budget
from bayfold.persist.checks import MOST_ARRAYS, MOST_JSON, MOST_MANIFEST, RefusedError, expect
from bayfold.persist.kinds import find_kind
from bayfold.persist.values import Decoder, Encoder
from bayfold.version import __version__

ADDED_IN_2: dict[str, dict[str, Any]] = {
    "AdaBoostNaiveBayesClassifier": {"calibration": None, "bins": None},
    "AdditiveEnsemble": {"conformal": None, "gained": 0.0},
    "AveragedOneDependenceClassifier": {"bins": None},
    "BoostedNaiveBayesClassifier": {
        "bins": None,
        "special_codes": None,
        "forbidden_interactions": None,
        "monotone": None,
    },
    "BoostedNaiveBayesRegressor": {
        "bins": None,
        "special_codes": None,
        "forbidden_interactions": None,
        "monotone": None,
        "loss": "squared",
        "tweedie_power": 1.5,
    },
    "HeldOutScore": {"of_two": {"dict": []}},
    "Calibration": {"conformal": None, "errors": None},
    "ClassDecompositionClassifier": {"calibration": None, "_scale": None},
    "NaiveBayesClassifier": {"bins": None, "special_codes": None},
    "NaiveBayesRegressor": {"bins": None},
    "NaiveBayesTreeClassifier": {"calibration": None, "bins": None, "_conformal": None},
    "VoteEnsemble": {"scale": None},
    "ErrorShape": {"levels": None},
    "CollapsedClassifier": {"_conformal": None},
    "MDLDiscretizer": {"numeric_features": None},
    "LabelledRows": {"extras": {"dict": []}},
    "NominalColumn": {"members": ()},
    "NumericColumn": {"atoms": None, "notation": None, "special": (), "is_given": False},
    "NaiveBayesModel": {"edits": [], "unedited": None, "monotone": None, "errors": None},
    "RowSample": {"units": None, "time": None, "bounds": None},
    "RegressionModel": {"correction": None},
    "MTEFit": {"correction": None},
    "Pieces": {"piece_of": None, "shares": None},
}
"""By kind, the parts that protocol 2 has and protocol 1 had not, with what stands for their absence."""


def _upgrade_to_2(document: Any) -> Any:
    def add(kind: str, parts: dict[str, Any]) -> dict[str, Any]:
        of_columns = {"numeric_features": None} if "categorical_features" in parts else {}
        return of_columns | ADDED_IN_2.get(kind, {}) | parts

    objects = [
        thing | {"parts": add(thing["kind"], thing["parts"])} for thing in document["objects"]
    ]
    return document | {"objects": objects}


UPGRADES: dict[int, Callable[[Any], Any]] = {1: _upgrade_to_2}
"""What makes a document of one protocol a document of the next. They work on the JSON alone, never on classes, which
change later."""


def upgrade(document: Any, protocol: int) -> Any:
    """A document of the current protocol from one of an older."""
    for step in range(protocol, PROTOCOL):
        document = UPGRADES[step](document)
    return document


FileLike = str | os.PathLike[str] | IO[bytes]

MOST_FILE = MOST_ARRAYS + MOST_JSON
"""Bytes that are read of a file at most."""

PARTS = {"root", "objects", "arrays", "pieces"}
"""Of the document, which may have notes too."""

NOTES = "notes"


def write_model(
    model: object,
    file: FileLike,
    *,
    statistics: bool = True,
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write a model to a path, all of it or nothing, or to a binary file object.

    Parameters
    ----------
    model : object
        Of a registered kind.
    file : str, PathLike or file object
    statistics : bool
        False: without what only learning needs.
    notes : mapping of str to str, optional
        What whoever uses the model should know, such as the name of its target.
    """
    if find_kind(model) is None:
        raise errors.subclass_cannot_be_saved(type(model))
    content = pack(model, MODEL, statistics=statistics, notes=notes)
    if hasattr(file, "write"):
        file.write(content)
    else:
        _replace_file(_as_path(file), content)


def pack(
    thing: object,
    file_format: str,
    *,
    statistics: bool = True,
    notes: Mapping[str, str] | None = None,
) -> bytes:
    """The bytes of a model file or of a checkpoint.

    Parameters
    ----------
    thing : object
        Of a registered kind.
    file_format : str
    statistics, notes
        As of ``write_model``.
    """
    encoder = Encoder(statistics, is_compact=file_format == CHECKPOINT)
    root = encoder.encode(thing, "")
    document = {
        "root": root,
        "objects": encoder.objects,
        "arrays": encoder.arrays.table,
        "pieces": encoder.arrays.pieces,
    }
    assert document.keys() == PARTS
    if notes:
        document[NOTES] = dict(notes)
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    blob = encoder.arrays.blob
    budget = find_budget(len(blob))
    if encoder.arrays.n_bytes > budget:
        raise errors.model_too_large(encoder.arrays.n_bytes, budget, "bytes of memory")
    return write_archive(_name_versions(), text.encode(), blob, file_format)


def unpack_checkpoint(content: bytes, name: str) -> tuple[dict[str, str], Callable[[], Any]]:
    """The notes of a checkpoint, and what makes the object in it."""
    _, document, blob = read_archive(content, name, CHECKPOINT)
    return _find_notes(document, blob), lambda: _make_root(document, blob)


def read_model(file: FileLike) -> Any:
    """The model that was saved.

    Parameters
    ----------
    file : str, PathLike or file object
    """
    return _read(file, _make_model)


def read_notes(file: FileLike) -> dict[str, str]:
    """The notes that were saved with a model."""
    return _read(file, _find_notes)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it is a model; nothing else of it is read."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(MANIFEST) as entry:
            return json.loads(entry.read(MOST_MANIFEST))["format"] == MODEL
    except Exception:  # whatever another file makes of a zip or of JSON
        return False


def _read(file: FileLike, make: Callable[[Any, bytes], Any]) -> Any:
    """What is made of the document and the arrays of a file; whatever is wrong with it is said in one way."""
    content, name = _read_content(file)
    version = __version__  # until the file says what wrote it
    try:
        manifest, document, blob = read_archive(content, name)
        version = manifest.version
        return make(upgrade(document, manifest.protocol), blob)
    except errors.ModelFileError:
        raise
    except RefusedError as reason:
        raise errors.damaged_file(name, f"{reason} does not fit", version, __version__) from None
    # whatever a file provokes that is not what it says to be
    except Exception as error:
        what = f"{type(error).__name__} on reading it"
        raise errors.damaged_file(name, what, version, __version__) from error


def _make_model(document: Any, blob: bytes) -> Any:
    model = _make_root(document, blob)
    expect(hasattr(model, "get_params"), "the root of the document")
    return model


def _make_root(document: Any, blob: bytes) -> Any:
    _find_notes(document, blob)
    arrays = StoredArrays(document["arrays"], document["pieces"], blob)
    decoder = Decoder(document["objects"], arrays)
    root = document["root"]
    expect(isinstance(root, dict) and root.keys() == {"object"}, "the root of the document")
    return decoder.decode(root)


def _find_notes(document: Any, _: bytes) -> dict[str, str]:
    fits = isinstance(document, dict) and document.keys() - {NOTES} == PARTS
    expect(fits, "the document")
    notes = document.get(NOTES, {})
    plain = isinstance(notes, dict) and all(isinstance(text, str) for text in notes.values())
    expect(plain, "the notes")
    return notes


def _name_versions() -> dict[str, str]:
    """What wrote the file: for people who wonder, not for the reader."""
    return {
        "bayfold": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _as_path(file: Any) -> Path:
    try:
        path = os.fsdecode(file)
    except TypeError:
        raise errors.not_a_file(file) from None
    return Path(path)


def _read_content(file: FileLike) -> tuple[bytes, str]:
    """The bytes of a file and what to call it."""
    if hasattr(file, "read"):
        content = file.read(MOST_FILE + 1)
        name = str(getattr(file, "name", "a file object"))
    else:
        path = _as_path(file)
        with path.open("rb") as opened:
            content = opened.read(MOST_FILE + 1)
            name = str(path)
    if not isinstance(content, bytes):
        raise errors.not_a_file(file)
    if len(content) > MOST_FILE:
        raise errors.oversized_file(name, "a size", len(content), MOST_FILE)
    return content, name


def _replace_file(path: Path, content: bytes) -> None:
    """Write a file: whoever reads meanwhile sees the old or the new one."""
    try:
        with write_atomically(path) as aside:
            aside.write_bytes(content)
    except OSError as error:
        raise errors.unwritable_file(error, str(path)) from error
