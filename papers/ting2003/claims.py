"""What Ting & Zheng (2003) claim, and what becomes of it, by the tables of the page."""

from __future__ import annotations

import pandas as pd

from bayfold.evaluate import sign_test
from papers.shared.paper import Tables, take_table
from papers.shared.verdict import Claim, UnknownError, judge_claim, take_known
from papers.ting2003.protocol import BOOSTED_TREE, TREE, boosted, single


def judge_claims(tables: Tables) -> list[Claim]:
    """Claim by claim."""
    errors = tables.get("table3", pd.DataFrame())
    return [
        judge_stability(errors),
        judge_headline(errors),
        judge_trees(errors),
        judge_single(errors),
        judge_bias(tables),
        judge_reference(tables),
    ]


def take_errors(errors: pd.DataFrame, *methods: str) -> pd.DataFrame:
    """The errors of some methods on the domains where all are known."""
    if not set(methods) <= set(errors.columns):
        raise UnknownError
    known = errors[list(methods)].dropna()
    if not len(known):
        raise UnknownError
    return known


def count_wins(errors: pd.DataFrame, first: str, second: str) -> tuple[int, int]:
    """On how many domains the first has the lower error, and the higher; by what a page shows, one digit."""
    both = take_errors(errors, first, second).round(1)
    return int((both[first] < both[second]).sum()), int((both[first] > both[second]).sum())


def find_fall(errors: pd.DataFrame, depth: int) -> float:
    """By what share boosting lowers the mean error."""
    means = take_errors(errors, single(depth), boosted(depth)).mean()
    return 1 - float(means[boosted(depth)] / means[single(depth)])


def judge_stability(errors: pd.DataFrame) -> Claim:
    """Table 2."""
    plain, votes = single(0), boosted(0)

    def worse_on() -> int:
        return count_wins(errors, votes, plain)[1]

    def numbers() -> str:
        both = take_errors(errors, plain, votes)
        means = both.mean()
        return f"{means[plain]:.1f} to {means[votes]:.1f}, worse on {worse_on()} of {len(both)} domains"

    return judge_claim(
        "Boosting helps naive Bayes little: mean error 20.2 to 19.3, worse on many domains",
        [
            ("mean error falls by less than 10 %", lambda: find_fall(errors, 0) < 0.1),
            (
                "worse on at least a quarter of the domains",
                lambda: worse_on() >= len(take_errors(errors, plain, votes)) / 4,
            ),
        ],
        numbers,
    )


def judge_headline(errors: pd.DataFrame) -> Claim:
    """The paper's main comparison: boosted trees against boosted naive Bayes."""

    def count(depth: int = 10) -> tuple[int, int]:
        return count_wins(errors, boosted(depth), boosted(0))

    def numbers() -> str:
        records = [(depth, *count(depth)) for depth in (10, 3)]
        return ", ".join(
            f"d = {depth}: {wins} to {losses}, p {sign_test(wins, losses):.4f}"
            for depth, wins, losses in records
        )

    return judge_claim(
        "Boosted trees beat boosted naive Bayes: BLNBT(10) is better than BLNBT(0) on 18 domains and worse on 7 "
        "(p .0216)",
        [
            ("better on more domains than worse", lambda: count()[0] > count()[1]),
            ("sign test, one-tailed: p < .05", lambda: sign_test(*count()) < 0.05),
        ],
        numbers,
    )


def judge_trees(errors: pd.DataFrame) -> Claim:
    """Table 3, boosted."""

    def means() -> pd.Series:
        return take_errors(errors, boosted(0), boosted(3)).mean()

    def numbers() -> str:
        falls = ", ".join(f"{find_fall(errors, depth):.0%} (d = {depth})" for depth in (0, 1, 3, 5))
        found = means()
        return (
            f"error falls by {falls}; BLNBT(3) {found[boosted(3)]:.1f} against BLNBT(0) "
            f"{found[boosted(0)]:.1f}"
        )

    return judge_claim(
        "Trees of a few levels make boosting work: 20.5 to 17.5 on these domains for three levels",
        [
            (
                "boosting lowers the mean error by a larger share with three levels than with none",
                lambda: find_fall(errors, 3) > find_fall(errors, 0),
            ),
            (
                "mean error of BLNBT(3) below that of BLNBT(0)",
                lambda: means()[boosted(3)] < means()[boosted(0)],
            ),
        ],
        numbers,
    )


def judge_single(errors: pd.DataFrame) -> Claim:
    """Table 3, single trees."""

    def means() -> pd.Series:
        return take_errors(errors, *map(single, (0, 1, 3, 5))).mean()

    return judge_claim(
        "Single trees are no better than naive Bayes: mean error rises with the levels",
        [
            (
                f"mean error of {single(depth)} above that of {single(0)}",
                lambda depth=depth: means()[single(depth)] > means()[single(0)],
            )
            for depth in (3, 5)
        ],
        lambda: ", ".join(f"{method} {value:.1f}" for method, value in means().items()),
    )


def judge_bias(tables: Tables) -> Claim:
    """Table 4."""

    def change(quantity: str) -> tuple[float, float]:
        table = take_table(tables, "table4").set_index("model")[quantity]
        return take_known(table.get(single(0))), take_known(table.get(single(5)))

    return judge_claim(
        "Naive Bayes is stable: low variance, high bias; levels lower the bias and raise the variance",
        [
            (
                "bias of LNBT(5) below that of LNBT(0)",
                lambda: change("bias")[1] < change("bias")[0],
            ),
            ("variance above", lambda: change("variance")[1] > change("variance")[0]),
        ],
        lambda: ", ".join(
            "{} {:.1f} to {:.1f}".format(quantity, *change(quantity))
            for quantity in ("bias", "variance")
        ),
    )


def judge_reference(tables: Tables) -> Claim:
    """What boosting does to C4.5."""

    def find(*methods: str) -> list[float]:
        table = take_table(tables, "means").set_index("model")["error"]
        return [take_known(table.get(method)) for method in methods]

    def gains() -> tuple[float, float]:
        tree, votes, plain, of_plain = find(TREE, BOOSTED_TREE, single(0), boosted(0))
        return tree - votes, plain - of_plain

    return judge_claim(
        "Boosting takes C4.5 from 19.2 to 15.8, a larger gain than for naive Bayes",
        [
            (
                "mean error falls by more points than that of naive Bayes",
                lambda: gains()[0] > gains()[1],
            )
        ],
        lambda: "{:.1f} to {:.1f}".format(*find(TREE, BOOSTED_TREE)),
    )
