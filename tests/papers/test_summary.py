"""The summary of pages: older rows of other papers stay, those of the same paper go."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from papers.command import find_papers
from papers.shared.page import Page, read_tables
from papers.shared.summary import update_summary
from papers.shared.verdict import Claim, Comparison, UnknownError, compare, judge_claim

pytest.importorskip("matplotlib")

RESULTS = Path(__file__).parents[2] / "papers/results"


def make_page(name, near=3, is_whole=True):
    page = Page(name, name, "none", is_whole=is_whole)
    page.comparisons = [Comparison(name, "Table 1", "all", 4, near, "1 point", 10, 20)]
    page.claims = [Claim("says so", "(1) it is so", "reproduced", "by numbers")]
    return page


def test_pages_are_put_in_place_of_their_older_ones(tmp_path):
    update_summary(tmp_path, [make_page("b"), make_page("a")])
    update_summary(tmp_path, [make_page("b", near=1)])
    text = (tmp_path / "README.md").read_text()
    assert text.count("[b](b.md) | Table 1") == 1
    assert "[b](b.md) | Table 1 | all | 4 | 1 (25%) | 1 point | 10 of 20" in text
    assert "[a](a.md) | Table 1 | all | 4 | 3 (75%)" in text
    assert text.index("[a]") < text.index("[b]")


def test_verdicts_of_an_unfinished_run_are_provisional(tmp_path):
    update_summary(tmp_path, [make_page("a", is_whole=False)])
    assert "**reproduced (provisional)**" in (tmp_path / "README.md").read_text()


def test_a_page_without_published_cells_is_no_trouble(tmp_path):
    page = Page("a", "a", "none", claims=[Claim("says so", "(1) it is so", "reproduced", "")])
    for _ in range(2):
        update_summary(tmp_path, [page])
    update_summary(tmp_path, [make_page("b")])
    assert "says so" in (tmp_path / "README.md").read_text()


def test_a_page_that_claims_nothing_may_be_the_first(tmp_path):
    """`bayfold papers defaults -o FOLDER` had failed after hours of measuring."""
    update_summary(tmp_path, [Page("defaults", "all models", "none")])
    assert "## Claims" not in (tmp_path / "README.md").read_text()


def test_cells_that_were_not_measured_are_not_compared():
    import numpy as np

    found = compare(
        ("p", "t", "c"), np.array([1.0, 2, 3]), np.array([1.5, np.nan, 9]), 1.0, "1", (2, 3)
    )
    assert (found.cells, found.near) == (2, 1)


def judge(*holds):
    """A claim with such conditions; None is not known."""

    def find(value):
        if value is None:
            raise UnknownError
        return value

    return judge_claim("says so", [("so", lambda h=h: find(h)) for h in holds], lambda: "numbers")


def test_a_claim_is_judged_by_its_conditions():
    assert judge(True, True).outcome == "reproduced"
    assert judge(True, False).outcome == "in part"
    assert judge(True, False).because == "numbers; not (2)"
    assert judge(False, False).outcome == "not reproduced"
    assert judge(True, None).outcome == "not measured yet"
    assert judge(True, False).rule == "(1) so; (2) so"


def find_judged():
    """Papers whose committed page was made with rules; of older runs only the summary says that they have none."""
    claims = pd.read_csv(RESULTS / "summary_claims.csv", keep_default_na=False)
    if "rule" not in claims:
        return []
    return sorted(set(claims.paper[claims.rule != ""]))


@pytest.mark.parametrize("name", find_judged())
def test_committed_pages_tables_and_rules_agree(name):
    (paper,) = find_papers([name])
    found = paper.judge(read_tables(RESULTS, name))
    page = (RESULTS / f"{name}.md").read_text()
    summary = pd.read_csv(RESULTS / "summary_claims.csv", keep_default_na=False)
    kept = summary[summary.paper == name].set_index("says")
    assert list(kept.index) == [claim.says for claim in found]
    for claim in found:
        line = f"| {claim.says} | {claim.rule} | **{claim.outcome}** | {claim.because} |"
        assert line in page
        assert kept.rule[claim.says] == claim.rule
        assert kept.outcome[claim.says].removesuffix(" (provisional)") == claim.outcome
        assert kept.because[claim.says] == claim.because


def test_claims_of_runs_without_rules_say_so(tmp_path):
    old = pd.DataFrame([{"paper": "a", "says": "x", "outcome": "reproduced", "because": "y"}])
    old.to_csv(tmp_path / "summary_claims.csv", index=False)
    update_summary(tmp_path, [make_page("b")])
    text = (tmp_path / "README.md").read_text()
    assert "| x | of a run before rules were written down | **reproduced** | y |" in text
    update_summary(tmp_path, [make_page("b")])
    assert (tmp_path / "README.md").read_text() == text
