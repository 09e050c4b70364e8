"""Boosting by shallow trees on codes: some rounds of one model, all in one call.

Rows lie fold by fold. A model learns from all rows but those of its own fold, whose loss it reports after
every round. One tree serves all scores: S = 1 for a number and for two groups (the log-odds of the second), otherwise
one per group.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.families.boosting.kernels.dealing import draw_columns, draw_rows
from bayfold.families.boosting.kernels.histograms import (
    clear,
    count_up,
    fill_histograms,
    find_most_codes,
    place_histograms,
)
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, LOG_LOSS, NO_SPLIT
from bayfold.families.boosting.kernels.losses import (
    make_ready,
    move_rows,
    pack_gradients,
    sum_leaves,
    sum_loss,
)
from bayfold.families.boosting.kernels.moving import move_by_new_trees
from bayfold.families.boosting.kernels.roots import look_ahead
from bayfold.families.boosting.kernels.routes import (
    N_LEAVES,
    N_NODES,
    find_root_sides,
    find_routes,
)
from bayfold.families.boosting.kernels.splits import find_split, goes_left


class Scratch(NamedTuple):
    """Arrays that all rounds use."""

    rows: Any
    pulls: Any
    words: Any
    units: Any
    everything: Any
    picked: Any
    columns: Any
    places: Any
    node: Any
    side: Any
    quarters: Any
    nodes: Any
    shares: Any
    sums: Any
    at_root: Any
    at_child: Any


@inner
def are_blocks(rules, n_rows, fold):
    """Whether trees look at blocks of rows, because there are more than one needs."""
    return rules.row_share * (n_rows - (fold[1] - fold[0])) > rules.most_rows


@inner
def make_scratch(data, rules, fold, n_scores):
    """Room for what a round draws, counts and sums."""
    n_columns = data.codes.shape[1]
    n_words = (n_scores + 2) // 2
    most_codes = find_most_codes(data.n_codes)
    n_sums = most_codes * rules.n_drawn * n_words
    n_room = data.codes.shape[0] - (fold[1] - fold[0])
    if are_blocks(rules, data.codes.shape[0], fold):
        n_room = rules.most_rows
    return Scratch(
        np.empty(n_room + 1, np.int64),
        np.empty((n_room if rules.loss != LOG_LOSS else 0, 2)),
        np.empty((n_room, n_words), np.int64),
        np.empty(2),
        count_up(n_room),
        np.empty(n_room + 1, np.int64),
        count_up(n_columns),
        np.empty(rules.n_drawn, np.int64),
        np.empty(n_sums, np.int64),
        np.empty(n_sums, np.int64),
        np.empty(8 * most_codes * n_words, np.int64),
        np.empty(2 * N_NODES + 1, np.int64),
        np.empty(n_scores),
        np.empty((N_LEAVES, 3, n_scores)),
        np.empty(BYTE_CODES, np.uint8),
        np.empty((2, BYTE_CODES), np.uint8),
    )


@inner
def pick_sides(codes, rows, n_rows, column, at_root, picked):
    """Positions of the rows on the left of the root from the front, of the others from the back.

    Returns how many are on the left. ``picked`` needs room for one more than there are.
    """
    n_left = np.int64(0)
    last = np.int64(n_rows)
    for r in range(n_rows):
        # the next row overwrites one of both: no branch to mispredict
        picked[n_left] = picked[last] = r
        right = np.int64(at_root[codes[rows[r], column]] >> 2)
        n_left += 1 - right
        last -= right
    return n_left


@inner
def find_drawn(scratch, column):
    """Which of the drawn columns it is; 0 where it is none of them."""
    for k in range(scratch.places.shape[0]):
        if scratch.columns[k] == column:
            return k
    return 0


@inner
def split_within(data, scratch, n_words, ridge, noise, tree):
    """Split the children of the root on its own column again: its histogram knows both sides, which are returned."""
    node = scratch.node
    side = scratch.side
    n_codes = data.n_codes
    k = find_drawn(scratch, tree[0, 0])
    column = scratch.columns[k : k + 1]
    place = scratch.places[k : k + 1]
    for at in range(n_codes[column[0]] * n_words):
        there = place[0] + at
        is_right = scratch.at_root[at // n_words] >> 2 == 1
        side[there] = node[there] if is_right else 0
        node[there] -= side[there]
    for k in range(3):
        tree[1, k] = tree[0, k]
        tree[2, k] = tree[0, k]
    if tree[0, 1] != NO_SPLIT:
        shares = scratch.shares
        ordered = data.ordered
        find_split(node, n_words, place, column, n_codes, ordered, shares, ridge, noise, tree[1])
        find_split(side, n_words, place, column, n_codes, ordered, shares, ridge, noise, tree[2])
    return node, side


@inner
def may_pair(data, columns, n_drawn):
    """Whether the first two of the drawn columns may be on one path."""
    if n_drawn < 2:
        return False
    return data.allowed.shape[0] == 0 or data.allowed[columns[0], columns[1]] != 0


@inner
def keep_allowed(data, scratch, root):
    """The drawn columns that may be asked about below the root, and where their histograms begin."""
    n_drawn = scratch.places.shape[0]
    columns = np.empty(n_drawn, np.int64)
    places = np.empty(n_drawn, np.int64)
    n_kept = 0
    free = data.allowed.shape[0] == 0 or root[1] == NO_SPLIT
    for k in range(n_drawn):
        if free or data.allowed[root[0], scratch.columns[k]] != 0:
            columns[n_kept] = scratch.columns[k]
            places[n_kept] = scratch.places[k]
            n_kept += 1
    return columns[:n_kept], places[:n_kept]


@inner
def split_sides(data, scratch, n_rows, size, n_words, ridge, noise, tree):
    """Split the children of the root on any drawn column: count the smaller side, the other is the rest.

    Returns the histograms of both sides.
    """
    node = scratch.node
    side = scratch.side
    columns = scratch.columns
    places = scratch.places
    rows = scratch.rows
    picked = scratch.picked
    root = tree[0, 0]
    n_left = pick_sides(data.codes, rows, n_rows, root, scratch.at_root, picked)
    smaller = np.int64(2 * n_left > n_rows)
    picked = picked[n_left + 1 : n_rows + 1] if smaller else picked[:n_left]
    clear(side, size)
    fill_histograms(data.codes, rows, scratch.words, picked, len(picked), columns, places, side)
    for k in range(size):
        node[k] -= side[k]
    columns, places = keep_allowed(data, scratch, tree[0])
    shares = scratch.shares
    n_codes = data.n_codes
    ordered = data.ordered
    find_split(
        side, n_words, places, columns, n_codes, ordered, shares, ridge, noise, tree[1 + smaller]
    )
    find_split(
        node, n_words, places, columns, n_codes, ordered, shares, ridge, noise, tree[2 - smaller]
    )
    return (node, side) if smaller else (side, node)


@inner
def count_quarters(data, scratch, n_rows, tree, stride):
    """Histograms of the root's column in the four quarters that two levels make."""
    codes = data.codes
    rows = scratch.rows
    words = scratch.words
    histogram = scratch.quarters
    root = np.uint64(tree[0, 0])
    first = np.uint64(tree[1, 0])
    second = np.uint64(tree[2, 0])
    n_words = words.shape[1]
    for r in range(n_rows):
        i = np.uint64(rows[r])
        code = codes[i, root]
        side = scratch.at_root[code] >> 2
        below = codes[i, second if side else first]
        quarter = 2 * np.int64(side) + np.int64(scratch.at_child[side, below] >> 2)
        at = 2 * quarter * stride + np.int64(code) * n_words
        for k in range(n_words):
            histogram[at + k] += words[r, k]


@inner
def fill_quarters(data, scratch, sides, n_rows, tree, stride):
    """Histograms of the four quarters that two levels make, each of the root's column and of its child's.

    The child's is part of that of its side; so is the root's where the child asks about it again.
    """
    histogram = scratch.quarters
    n_words = scratch.words.shape[1]
    clear(histogram, 8 * stride)
    root = tree[0, 0]
    if tree[1, 0] != root or tree[2, 0] != root:
        count_quarters(data, scratch, n_rows, tree, stride)
    for s in range(2):
        k = find_drawn(scratch, tree[1 + s, 0])
        known = sides[s][scratch.places[k] :]
        for at in range(data.n_codes[scratch.columns[k]] * n_words):
            quarter = 2 * s + np.int64(scratch.at_child[s, at // n_words] >> 2)
            histogram[(2 * quarter + 1) * stride + at] = known[at]
            if tree[1, 0] == root and tree[2, 0] == root:
                histogram[2 * quarter * stride + at] = known[at]


@inner
def split_quarters(data, scratch, sides, n_rows, n_words, ridge, noise, tree):
    """Split the four quarters again, each on one of the two columns that made it."""
    stride = find_most_codes(data.n_codes) * n_words
    fill_quarters(data, scratch, sides, n_rows, tree, stride)
    columns = np.empty(2, np.int64)
    places = np.empty(2, np.int64)
    for quarter in range(4):
        n_columns = 0
        for k in range(2):
            above = k * (1 + quarter // 2)  # the root, then its child
            asked = tree[above, 1] != NO_SPLIT
            if asked and not (n_columns == 1 and columns[0] == tree[above, 0]):
                columns[n_columns] = tree[above, 0]
                places[n_columns] = (2 * quarter + k) * stride
                n_columns += 1
        if n_columns > 0:
            find_split(
                scratch.quarters,
                n_words,
                places[:n_columns],
                columns[:n_columns],
                data.n_codes,
                data.ordered,
                scratch.shares,
                ridge,
                noise,
                tree[3 + quarter],
            )


@inner
def sum_left(histogram, n_codes, split):
    """The sum of the words of codes on the left side of a split."""
    word = np.int64(0)
    for code in range(n_codes):
        if goes_left(code, split[1], split[2]):
            word += histogram[code]
    return word


@inner
def sum_nodes(data, scratch, sides, tree):
    """The summed words of all nodes, where a row has one: node k is cut into nodes 2 k + 1 and 2 k + 2.

    Histograms of the split columns know them; no row is looked at again.
    """
    found = scratch.nodes
    n_codes = data.n_codes
    stride = find_most_codes(n_codes)
    root = tree[0]
    k = find_drawn(scratch, root[0])
    start = scratch.places[k]
    stop = start + n_codes[scratch.columns[k]]
    found[1] = found[2] = 0
    for at in range(start, stop):
        found[1] += sides[0][at]
        found[2] += sides[1][at]
    found[0] = found[1] + found[2]
    for node in range(1, 7):
        split = tree[node]
        left = found[node]
        if split[1] != NO_SPLIT and node < 3:
            start = scratch.places[find_drawn(scratch, split[0])]
            left = sum_left(sides[node - 1][start:], n_codes[split[0]], split)
        elif split[1] != NO_SPLIT:
            on_child = split[0] != root[0] or root[1] == NO_SPLIT
            start = (2 * (node - 3) + np.int64(on_child)) * stride
            left = sum_left(scratch.quarters[start:], n_codes[split[0]], split)
        found[2 * node + 1], found[2 * node + 2] = left, found[node] - left


@inner
def grow_tree(data, rules, total, scratch, n_rows, scores, state, tree):
    """Splits from the drawn rows: of the root, of both its children and, where asked for, of theirs."""
    for node in range(N_NODES):
        tree[node, 0] = 0
        tree[node, 1] = NO_SPLIT
        tree[node, 2] = 0
    n_words = scratch.words.shape[1]
    columns = scratch.columns
    places = scratch.places
    unit, noise = pack_gradients(rules.loss, data, total, scores, scratch, n_rows)
    ridge = unit * rules.ridge
    draw_columns(state, columns, rules.n_drawn)
    size = place_histograms(columns, data.n_codes, n_words, places)
    clear(scratch.node, size)
    fill_histograms(
        data.codes,
        scratch.rows,
        scratch.words,
        scratch.everything,
        n_rows,
        columns,
        places,
        scratch.node,
    )
    gain = find_split(
        scratch.node,
        n_words,
        places,
        columns,
        data.n_codes,
        data.ordered,
        scratch.shares,
        ridge,
        noise,
        tree[0],
    )
    if gain <= 0.0 and rules.two_columns and may_pair(data, columns, rules.n_drawn):
        look_ahead(data, scratch, n_rows, rules.pair_bins, ridge, noise, state, tree[0])
    n_codes = find_most_codes(data.n_codes)
    find_root_sides(tree[0], n_codes, scratch.at_root)
    if rules.two_columns:
        sides = split_sides(data, scratch, n_rows, size, n_words, ridge, noise, tree)
    else:
        sides = split_within(data, scratch, n_words, ridge, noise, tree)
    find_routes(tree, n_codes, scratch.at_root, scratch.at_child)
    if rules.third_level:
        split_quarters(data, scratch, sides, n_rows, n_words, ridge, noise, tree)
        find_routes(tree, n_codes, scratch.at_root, scratch.at_child)
    if rules.loss != LOG_LOSS:
        sum_nodes(data, scratch, sides, tree)


@inner
def find_steps(sums, rules, values):
    """Shrunken Newton steps. Of two groups one score moves, twice as far (``stretch``): they move apart."""
    for leaf in range(sums.shape[0]):
        for s in range(values.shape[1]):
            step = rules.rate * sums[leaf, 0, s] / (sums[leaf, 1, s] + rules.ridge)
            step = min(max(step, -rules.largest_step), rules.largest_step)
            values[leaf, s] = rules.stretch * step


@inner
def catch_up_drawn(data, rules, fold, splits, values, n_rounds, scores, moved, drawn):
    """Move the blocks in which the drawn rows stand: neighbours together."""
    start = 0
    for r in range(1, len(drawn) + 1):
        if r == len(drawn) or drawn[r] != drawn[r - 1] + 1:
            first = drawn[start]
            last = drawn[r - 1] + 1
            move_by_new_trees(
                rules.loss, data, fold, splits, values, n_rounds, scores, moved, first, last
            )
            start = r


@kernel
def boost_rounds(data, rules, fold, state, scores, moved, splits, values, n_before, losses):
    """Run ``len(losses)`` rounds of one model: write its trees, and its losses on the rows of ``fold``.

    ``splits`` and ``values`` hold the trees of the ``n_before`` rounds before, and have room for more. ``scores`` holds
    the probabilities of all rows, or their numbers, and is moved along; where trees look at blocks of rows, those they
    do not look at are left behind as ``moved`` says (see ``catch_up``).
    """
    scratch = make_scratch(data, rules, fold, scores.shape[1])
    n_rows = data.codes.shape[0]
    total = data.total
    by_blocks = are_blocks(rules, n_rows, fold)
    first, last = (fold[0], fold[1]) if by_blocks else (0, n_rows)
    for k in range(len(losses)):
        t = n_before + k
        n_drawn = draw_rows(n_rows, fold, rules.row_share, rules.most_rows, state, scratch.rows)
        if by_blocks:
            drawn = scratch.rows[:n_drawn]
            catch_up_drawn(data, rules, fold, splits, values, t, scores, moved, drawn)
        make_ready(rules.loss, scores, scratch.rows, n_drawn)
        grow_tree(data, rules, total, scratch, n_drawn, scores, state, splits[t])
        sum_leaves(rules.loss, data, scores, scratch, n_drawn, splits[t])
        find_steps(scratch.sums, rules, values[t])
        move_rows(
            rules.loss,
            data.codes[first:last],
            splits[t],
            scratch.at_root,
            scratch.at_child,
            values[t],
            scores[first:last],
        )
        losses[k] = sum_loss(rules.loss, data, scores, fold)
    if not by_blocks:
        for block in range(len(moved)):
            moved[block] = n_before + len(losses)
