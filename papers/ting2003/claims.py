"""What Ting & Zheng (2003) claim, and what becomes of it."""

from __future__ import annotations

import pandas as pd

from papers.shared.verdict import Claim, judge_order
from papers.ting2003.protocol import BOOSTED_TREE, TREE, boosted, single


def judge_claims(measured: pd.DataFrame, parts: pd.DataFrame, means: pd.DataFrame) -> list[Claim]:
    """Claim by claim; ``means`` has the errors of C4.5 too."""
    error = measured.mean()
    drop = {depth: 1 - error[boosted(depth)] / error[single(depth)] for depth in (0, 1, 3, 5)}
    worse = int((measured[boosted(0)] > measured[single(0)]).sum())
    n_domains = int(measured[boosted(0)].notna().sum())
    claims = [
        Claim(
            "Boosting helps naive Bayes little: mean error 20.2 to 19.3, worse on many domains",
            judge_order([drop[0] < 0.1, worse >= n_domains // 4])
            if n_domains
            else "not measured yet",
            f"{error[single(0)]:.1f} to {error[boosted(0)]:.1f}, worse on {worse} of {n_domains} domains",
        ),
        Claim(
            "Trees of a few levels make boosting work: 20.5 to 17.5 on these domains for three levels",
            judge_order([drop[3] > drop[0], error[boosted(3)] < error[boosted(0)]]),
            f"error falls by {drop[0]:.0%} (d = 0), {drop[1]:.0%} (1), {drop[3]:.0%} (3), {drop[5]:.0%} (5); "
            f"BLNBT(3) {error[boosted(3)]:.1f} against BLNBT(0) {error[boosted(0)]:.1f}",
        ),
        Claim(
            "Single trees are no better than naive Bayes: mean error rises with the levels",
            judge_order([error[single(3)] > error[single(0)], error[single(5)] > error[single(0)]]),
            ", ".join(f"{single(d)} {error[single(d)]:.1f}" for d in (0, 1, 3, 5))
            + ": on these domains single trees are a little better than naive Bayes, see the table of differences",
        ),
    ]
    return [*claims, judge_bias(parts), judge_reference(means)]


def judge_bias(parts: pd.DataFrame) -> Claim:
    """Table 4."""
    says = "Naive Bayes is stable: low variance, high bias; levels lower the bias and raise the variance"
    if not {single(0), single(5)} <= set(parts.index):
        return Claim(says, "not measured yet", "")
    plain, deep = parts.loc[single(0)], parts.loc[single(5)]
    holds = [deep.bias < plain.bias, deep.variance > plain.variance]
    words = f"bias {plain.bias:.1f} to {deep.bias:.1f}, variance {plain.variance:.1f} to {deep.variance:.1f}"
    return Claim(says, judge_order(holds), words)


def judge_reference(means: pd.DataFrame) -> Claim:
    """What boosting does to C4.5."""
    says = "Boosting takes C4.5 from 19.2 to 15.8, a larger gain than for naive Bayes"
    if not {TREE, BOOSTED_TREE} <= set(means.columns):
        return Claim(says, "not measured yet", "")
    both = means[[TREE, BOOSTED_TREE, single(0), boosted(0)]].dropna()
    average = both.mean()
    gain = average[TREE] - average[BOOSTED_TREE]
    holds = [gain > average[single(0)] - average[boosted(0)]]
    words = f"{average[TREE]:.1f} to {average[BOOSTED_TREE]:.1f} on {len(both)} domains"
    return Claim(says, judge_order(holds), words)
