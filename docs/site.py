"""What the site takes from outside this folder: result files and examples, at the same places as in the repository.

So links work on both. ``mkdocs`` calls the functions by their names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
TAKEN = ("benchmarks/*.md", "benchmarks/results/*", "papers/results/*", "examples/*.py")
OUTWARD = re.compile(r"\]\((?:\.\./)+((?:benchmarks|papers|examples|docs)/)")


def on_files(files: Any, config: Any) -> Any:
    """Add the files."""
    for pattern in TAKEN:
        for path in filter(Path.is_file, sorted(ROOT.glob(pattern))):
            place = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that lead out of the folder lead to the place of the file on the site."""
    up = "../" * page.file.src_uri.count("/")

    def inward(found: re.Match[str]) -> str:
        return f"]({up}{found[1].removeprefix('docs/')}"

    listed = list_decisions() if page.file.src_uri == "decisions.md" else ""
    return OUTWARD.sub(inward, markdown) + listed


def list_decisions() -> str:
    """A link to every decision, by its title."""
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    titles = [path.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ") for path in pages]
    links = [f"[{t}](decisions/{p.name})" for t, p in zip(titles, pages, strict=True)]
    return "\n" + "\n".join(f"- {link}" for link in links) + "\n"
