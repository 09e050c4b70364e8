"""What commands write: tables and models, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.cli.names import check_columns, split_names
from bayfold.core.frames.files import TableFile, find_output_format, write_file


def check_can_write(path: str | None) -> None:
    """Refuse an output whose folder is not there or closed, before the work is done."""
    if path is None or path == "-":
        return
    folder = Path(path).parent
    if Path(path).is_dir():
        raise errors.folder_not_file(path)
    if not folder.is_dir():
        raise errors.output_not_writable(path, f"there is no folder {str(folder)!r}")
    if not os.access(folder, os.W_OK):
        raise errors.output_not_writable(path, f"the folder {str(folder)!r} is closed to you")


def check_can_save(path: str | None) -> None:
    """The same for a model, which is never written to a pipe."""
    if path == "-":
        raise errors.model_to_a_pipe(path)
    check_can_write(path)


def choose_kept(known: Sequence[str], keep: Sequence[str] | None, path: str) -> list[str]:
    """The columns of the input that are to come out again."""
    if keep is None:
        return list(known)
    names = [name for name in split_names(keep) if name != "none" or "none" in known]
    check_columns("--keep", names, known, path)
    return names


def write_rows(
    file: TableFile, kept: Sequence[str], added: Mapping[str, Any], path: str, asked: str | None
) -> None:
    """Write columns of a file with new ones beside them, in the format of the name, or that of the input."""
    form = find_output_format(path, asked, file.format)
    write_file(path, file.with_columns(kept, added, form), form, file.dialect)
