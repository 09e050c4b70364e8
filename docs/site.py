"""What the site takes from outside this folder: result files and examples, at the same places as in the repository.

So links work on both; a link of the built site that leads nowhere is an error. ``mkdocs`` calls the functions by their
names.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel

ROOT = Path(__file__).parents[1]
TAKEN = ("benchmarks/*_notes.md", "benchmarks/results/*", "papers/results/*", "examples/*.py")
OUTWARD = re.compile(r"\]\((?:\.\./)+((?:benchmarks|papers|examples|docs)/)")


def on_files(files: Any, config: Any) -> Any:
    """Add the files."""
    for pattern in TAKEN:
        for path in filter(Path.is_file, sorted(ROOT.glob(pattern))):
            place = path.relative_to(ROOT).as_posix()
            included = (
                InclusionLevel.INCLUDED
            )  # examples are Python files, which are left out otherwise
            file = File.generated(config, place, abs_src_path=str(path), inclusion=included)
            files.append(file)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that lead out of the folder lead to the place of the file on the site."""
    up = "../" * page.file.src_uri.count("/")

    def inward(found: re.Match[str]) -> str:
        return f"]({up}{found[1].removeprefix('docs/')}"

    listed = list_decisions() if page.file.src_uri == "decisions.md" else ""
    return OUTWARD.sub(inward, markdown) + listed


class LocalLinks(HTMLParser):
    """The paths that a page leads to on the same site."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep links, pictures and scripts."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                parts = urlsplit(value)
                if not parts.scheme and not parts.netloc and parts.path:
                    self.paths.add(unquote(parts.path))


def on_post_build(config: Any, **_: Any) -> None:
    """Refuse a site with links that lead nowhere."""
    site = Path(config.site_dir)
    broken = []
    for page in site.rglob("*.html"):
        links = LocalLinks()
        links.feed(page.read_text(encoding="utf-8"))
        is_root = page.name == "404.html"  # whose links begin at the root, wherever it is shown
        for path in links.paths:
            place = site / path.lstrip("/") if is_root else page.parent / path
            if not (place / "index.html" if place.is_dir() else place).exists():
                broken.append(f"{page.relative_to(site)}: {path}")
    if broken:
        raise PluginError("links that lead nowhere: " + "; ".join(sorted(broken)))


def list_decisions() -> str:
    """A link to every decision, by its title."""
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    titles = [path.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ") for path in pages]
    links = [f"[{t}](decisions/{p.name})" for t, p in zip(titles, pages, strict=True)]
    return "\n" + "\n".join(f"- {link}" for link in links) + "\n"
