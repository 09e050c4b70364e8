"""Boosting by shallow trees, row by row and split by split."""

from __future__ import annotations

import math

import numpy as np

MASK = (1 << 64) - 1
BELOW, BELOW_KNOWN, EQUAL, NO_SPLIT = range(4)


class Words:
    """splitmix64 with Python's whole numbers."""

    def __init__(self, state):
        self.state = int(state)

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def draw_rows(n_rows, fold, share, most, words):
    """The rows drawn, as a list."""
    outside = [i for i in range(n_rows) if not fold[0] <= i < fold[1]]
    if share * len(outside) > most:
        size = min(4096, most)
        blocks = [outside[k : k + size] for k in range(0, len(outside), size)]
        drawn, wanted = [], most // size
        for b, block in enumerate(blocks):
            if words.next() % (len(blocks) - b) < wanted:
                wanted -= 1
                drawn += block
        return drawn
    drawn, word = [], 0
    for k, i in enumerate(outside):
        word = words.next() if k % 4 == 0 else word >> 16
        if word & 65535 < int(share * 65536):
            drawn.append(i)
    return drawn


def draw_columns(words, columns, n_drawn):
    """The columns after the shuffle."""
    columns = list(columns)
    for k in range(n_drawn):
        other = k + words.next() % (len(columns) - k)
        columns[k], columns[other] = columns[other], columns[k]
    return columns


def goes_left(code, kind, cut):
    """Whether a code goes left."""
    return {
        BELOW: code < cut,
        BELOW_KNOWN: 0 < code < cut,
        EQUAL: code == cut,
        NO_SPLIT: True,
    }[kind]


def find_gain(left, total, shares, ridge):
    """The gain of a split, score by score, up to what the node has anyway."""
    gain = 0.0
    for s, share in enumerate(shares):
        for g, h in ((left[s], left[-1]), (total[s] - left[s], total[-1] - left[-1])):
            gain += g * g / (h * share + ridge)
    return gain


def expect_luck(total, n_codes, is_ordered, shares, ridge, noise):
    """Half of what the best of so many splits is expected to gain beyond one of them."""
    curvature = 0.5 * total[-1] * np.asarray(shares)
    log_splits = math.log(max(n_codes - 3, 1)) / (2 if is_ordered else 1)
    return noise * (log_splits + math.sqrt((curvature / (curvature + ridge)).sum() * log_splits))


def find_split(codes, gradients, columns, n_codes, ordered, shares, ridge, noise):
    """The best split, from rows: every column, kind and cut in turn; of equal ones the first.

    ``gradients`` has one row per row: whole numbers, a gradient per score and the curvature. Returns the split and what
    it gains beyond all of luck.
    """
    total = gradients.sum(axis=0)
    nothing = sum(total[s] ** 2 / (total[-1] * share + ridge) for s, share in enumerate(shares))
    best, beyond_luck, beyond_all = (0, NO_SPLIT, 0), -math.inf, 0.0
    for j in columns:
        column, gain_of_column, split = codes[:, j], nothing + 1e-9 * ridge, None
        kinds = [BELOW, BELOW_KNOWN] if ordered[j] else [EQUAL]
        cuts = range(1, n_codes[j]) if ordered[j] else range(n_codes[j])
        for kind in kinds:
            for cut in cuts:
                left = np.array([goes_left(int(code), kind, cut) for code in column], bool)
                sums = gradients[left].sum(axis=0)
                gain = find_gain(sums, total, shares, ridge)
                if gain > gain_of_column * (1 + 1e-9):
                    split, gain_of_column = (j, kind, cut), gain
        luck = expect_luck(total, n_codes[j], ordered[j], shares, ridge, noise)
        if split and gain_of_column - luck > beyond_luck + 1e-9 * gain_of_column:
            best, beyond_luck = split, gain_of_column - luck
            beyond_all = gain_of_column - 2 * luck - nothing - 1e-9 * ridge
    return best, beyond_all


def find_value(gradients, shares, ridge):
    """``G^2 / (H + ridge)`` of some rows."""
    total = gradients.sum(axis=0)
    return sum(total[s] ** 2 / (total[-1] * share + ridge) for s, share in enumerate(shares))


def find_best_value(codes, gradients, column, n_codes, ordered, shares, ridge):
    """The same of two parts of the rows, made by the best split of one column; of one part if none is better."""
    best, total = find_value(gradients, shares, ridge), gradients.sum(axis=0)
    kinds = [BELOW, BELOW_KNOWN] if ordered[column] else [EQUAL]
    for kind in kinds:
        for cut in range(0 if kind == EQUAL else 1, n_codes[column]):
            left = np.array([goes_left(int(code), kind, cut) for code in codes[:, column]], bool)
            gain = find_gain(gradients[left].sum(axis=0), total, shares, ridge)
            best = max(best, gain)
    return best


def merge_codes(n_codes, is_ordered, n_bins, words):
    """The bin of each code: missing cells apart, the others in runs of equal length from a place that is drawn."""
    width, shift = 1, 0
    if is_ordered and n_codes > n_bins:
        width = math.ceil(n_codes / n_bins)
        shift = words.next() % width
    return np.array([0, *(1 + (code - 1 + shift) // width for code in range(1, n_codes))])


def look_ahead(codes, gradients, columns, n_codes, ordered, shares, ridge, noise, *more):
    """The split of the first column after which the second gains most, if it beats luck; otherwise ``root``."""
    root, words, pair_bins = more
    first, second = columns[:2]
    n_bins = max(pair_bins, math.isqrt(len(codes) // 4))
    merges = {j: merge_codes(n_codes[j], ordered[j], n_bins, words) for j in (first, second)}
    codes, n_codes = codes.copy(), list(n_codes)
    for j, merge in merges.items():
        codes[:, j], n_codes[j] = merge[codes[:, j]], merge[-1] + 1
    total, how = gradients.sum(axis=0), (n_codes, ordered, shares, ridge)
    luck = [
        expect_luck(total, n_codes[j], ordered[j], shares, ridge, noise) for j in (first, second)
    ]
    least = (
        find_value(gradients, shares, ridge) + 2 * luck[0] + 4 * luck[1] + 3 * len(shares) * noise
    )
    kind = BELOW if ordered[first] else EQUAL
    for cut in range(1, n_codes[first]) if ordered[first] else range(n_codes[first]):
        left = np.array([goes_left(int(code), kind, cut) for code in codes[:, first]], bool)
        gain = sum(find_best_value(codes[s], gradients[s], second, *how) for s in (left, ~left))
        if gain > least * (1 + 1e-9):
            root, least = (first, kind, int(np.flatnonzero(merges[first] == cut)[0])), gain
    return root


def walk(row, tree, n_levels):
    """Where a row of codes comes to, counted from the left, after so many levels of a tree."""
    node, place = 0, 0
    for _ in range(n_levels):
        column, kind, cut = tree[node]
        side = 0 if goes_left(int(row[column]), kind, cut) else 1
        node, place = 2 * node + 1 + side, 2 * place + side
    return place


def leaf_of(row, tree):
    """The leaf of a row of codes."""
    return walk(row, tree, 3)


def score_trees(codes, splits, values, start):
    """``start`` plus the leaf values of all trees of all models, over the number of models."""
    scores = np.tile(np.asarray(start, np.float64), (len(codes), 1))
    for model_splits, model_values in zip(splits, values, strict=True):
        for tree, leaves in zip(model_splits, model_values, strict=True):
            for i, row in enumerate(codes):
                scores[i] += leaves[leaf_of(row, tree.tolist())] / len(splits)
    return scores


def find_probabilities(scores):
    """From one score (log-odds) or several to as many probabilities."""
    if scores.shape[1] == 1:
        return 1 / (1 + np.exp(-scores))
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def find_steps(data, rules, rows, tree, p):
    """The values of the four leaves."""
    n_scores = p.shape[1]
    values = np.zeros((8, n_scores))
    leaves = np.array([leaf_of(data.codes[i], tree) for i in rows])
    for leaf in range(8):
        inside = np.array(rows)[leaves == leaf]
        for s in range(n_scores):
            truth = data.labels[inside] == (1 if n_scores == 1 else s)
            q, w = p[inside, s], data.weights[inside]
            step = rules.rate * (w * (truth - q)).sum() / ((w * q * (1 - q)).sum() + rules.ridge)
            step = float(np.clip(step, -rules.largest_step, rules.largest_step))
            values[leaf, s] = 2 * step if n_scores == 1 else step
    return values


def pack_gradients(data, rows, p, unit):
    """Gradients and curvature of some rows as whole numbers of ``1 / unit``."""
    n_scores = p.shape[1]
    packed = np.zeros((len(rows), n_scores + 1))
    for r, i in enumerate(rows):
        scale = unit * data.weights[i]
        if n_scores == 1:
            q = p[i, 0]
            packed[r] = np.rint(scale * (data.labels[i] - q)), np.rint(scale * q * (1 - q))
        else:
            packed[r, :-1] = -np.rint(scale * p[i])
            packed[r, data.labels[i]] += np.rint(scale)
            packed[r, -1] = np.rint(scale * (1 - (p[i] ** 2).sum()))
    return packed


def weigh_classes(data, rows, p, unit):
    """Packed gradients, shares of the scores, the unit of the curvature and the expected gain of a random split."""
    gradients = pack_gradients(data, rows, p, unit)
    some = np.array(rows[:1000])
    shares = (p[some] * (1 - p[some])).sum(axis=0) + 1e-12
    truth = data.labels[some, None] == (np.arange(p.shape[1]) if p.shape[1] > 1 else 1)
    noise = unit * min(((truth - p[some]) ** 2).sum() / shares.sum(), 1.0)
    return gradients, shares / shares.sum(), unit, noise


def find_pulls(data, loss, some, scores):
    """Minus the gradients of a loss of numbers, and its curvatures: squared error (1), deviance of a rate (2)."""
    targets = data.targets[some]
    if loss == 1:
        return targets - scores, np.ones(len(targets))
    rates, p, exposures = np.exp(scores), data.power, data.exposures[some]
    expected = rates ** (2 - p)
    observed = expected + (p - 1) * (np.maximum(targets, 0.3 * rates) - rates) * rates ** (1 - p)
    return exposures * (targets - rates) * rates ** (1 - p), exposures * (expected + observed) / 2


def find_deviance(data, inside, scores):
    """Half the deviance of a rate, up to what does not depend on it."""
    rates, p, targets = np.exp(scores), data.power, data.targets[inside]
    if p == 1:
        found = rates - targets * scores
    elif p == 2:
        found = targets / rates + scores
    else:
        found = rates ** (2 - p) / (2 - p) - targets * rates ** (1 - p) / (1 - p)
    return (data.weights[inside] * data.exposures[inside] * found).sum()


def weigh_numbers(data, rules, rows, scores):
    """The same of numbers, and the units of both sums."""
    some = np.array(rows, int)
    g, h = find_pulls(data, rules.loss, some, scores[some, 0])
    w = data.weights[some]
    units = [2.0 ** math.floor(math.log2(2.0**30 / (w * np.abs(x)).sum())) for x in (g, h)]
    packed = np.rint(np.stack([units[0] * w * g, units[1] * w * h], axis=1))
    noise = (g[:1000] ** 2).sum() / (h[:1000].sum() + 1e-12)
    return (packed, np.ones(1), units[1], units[0] ** 2 / units[1] * noise), np.array(units)


def grow_tree(data, rules, rows, weighed, words, columns):
    """A tree from some rows, its nodes level by level, and the columns as the draw left them."""
    gradients, shares, unit, noise = weighed
    columns = draw_columns(words, columns, rules.n_drawn)
    how = (data.n_codes, data.ordered, shares, unit * rules.ridge, noise)
    codes = data.codes[rows]
    root, gain = find_split(codes, gradients, columns[: rules.n_drawn], *how)
    free = len(data.allowed) == 0
    may_pair = rules.n_drawn > 1 and (free or data.allowed[columns[0], columns[1]])
    if gain <= 0 and rules.two_columns and may_pair:
        root = look_ahead(codes, gradients, columns, *how, root, words, rules.pair_bins)
    left = np.array([goes_left(int(code), *root[1:]) for code in codes[:, root[0]]], bool)
    allowed = columns[: rules.n_drawn] if rules.two_columns else [root[0]]
    if root[1] == NO_SPLIT and not rules.two_columns:
        allowed = []
    if not free and root[1] != NO_SPLIT:
        allowed = [j for j in allowed if data.allowed[root[0], j]]
    children = [find_split(codes[s], gradients[s], allowed, *how)[0] for s in (left, ~left)]
    tree = [root, *children, *[(0, NO_SPLIT, 0)] * 4]
    if rules.third_level:
        quarters = np.array([walk(row, tree, 2) for row in codes])
        for q in range(4):
            asked = [tree[node][0] for node in (0, 1 + q // 2) if tree[node][1] != NO_SPLIT]
            if asked:
                inside = quarters == q
                tree[3 + q], _ = find_split(codes[inside], gradients[inside], asked, *how)
    return tree, columns


def boost_rounds(data, rules, fold, state, p, n_rounds):
    """Splits, values, losses and the probabilities in the end."""
    words, columns = Words(state), list(range(data.codes.shape[1]))
    unit = 2.0 ** math.floor(math.log2(2.0**30 / data.weights.sum()))
    n_scores = p.shape[1]
    scores = np.log(p / (1 - p)) if n_scores == 1 else np.log(p)
    splits, values, losses = [], [], []
    for _ in range(n_rounds):
        p = find_probabilities(scores)
        rows = draw_rows(len(p), fold, rules.row_share, rules.most_rows, words)
        weighed = weigh_classes(data, rows, p, unit)
        tree, columns = grow_tree(data, rules, rows, weighed, words, columns)
        leaves = find_steps(data, rules, rows, tree, p)
        scores = scores + np.array([leaves[leaf_of(row, tree)] for row in data.codes])
        p = find_probabilities(scores)
        of_group = np.append(1 - p, p, axis=1) if n_scores == 1 else p
        inside = np.arange(fold[0], fold[1])
        truth = of_group[inside, data.labels[inside]]
        losses.append(-(data.weights[inside] * np.log(truth)).sum())
        splits.append(tree)
        values.append(leaves)
    return np.array(splits), np.array(values), np.array(losses), p


def boost_number_rounds(data, rules, fold, state, scores, n_rounds):
    """Splits, values, losses and the scores in the end, of a loss of numbers."""
    words, columns = Words(state), list(range(data.codes.shape[1]))
    splits, values, losses = [], [], []
    for _ in range(n_rounds):
        rows = draw_rows(len(scores), fold, rules.row_share, rules.most_rows, words)
        weighed, units = weigh_numbers(data, rules, rows, scores)
        tree, columns = grow_tree(data, rules, rows, weighed, words, columns)
        leaves = np.array([leaf_of(row, tree) for row in data.codes])
        of_leaf = np.zeros((8, 1))
        for leaf in range(8):
            g, h = weighed[0][leaves[rows] == leaf].sum(axis=0) / units
            step = rules.rate * g / (h + rules.ridge)
            of_leaf[leaf] = np.clip(step, -rules.largest_step, rules.largest_step)
        scores = scores + of_leaf[leaves]
        held, found = slice(*fold), scores[slice(*fold), 0]
        squares = (data.weights[held] * (data.targets[held] - found) ** 2).sum()
        losses.append(squares if rules.loss == 1 else find_deviance(data, held, found))
        splits.append(tree)
        values.append(of_leaf)
    return np.array(splits), np.array(values), np.array(losses), scores


def count_pulls(
    data, loss, keys, fold_of, factors, draw, held, tree, places, columns, units, tables, squares
):
    """Tables of whole numbers, and squared gradients, row by row; the last two arguments are added to."""
    fold, salt, limit = (int(number) for number in draw)
    n_scores = held.shape[1]
    for i in range(len(keys)):
        words = Words((int(keys[i]) ^ salt) - 0x9E3779B97F4A7C15)
        place = places[0]
        for depth in range(1, 3):
            if place == -2:
                place = places[2**depth - 1 + walk(data.codes[i], tree.tolist(), depth)]
        if fold_of[i] == fold or words.next() >= limit or place < 0:
            continue
        some = np.array([i])
        if loss == 0:
            p = held[some] if n_scores == 1 else held[some] / held[some].sum()
            g = (data.labels[i] == (np.arange(n_scores) if n_scores > 1 else 1)) - p[0]
            h = p[0] * (1 - p[0])
        else:
            g, h = find_pulls(data, loss, some, held[some, 0])
        scale = factors[data.labels[i]]
        weight = int(data.weights[i])
        squares[0] += weight * int(np.rint(units[2] * scale * (g**2).sum()))
        for k, column in enumerate(columns[place]):
            own = np.rint(np.stack([units[0] * scale * g, units[1] * scale * h], axis=1))
            tables[place, k, data.codes[i, column]] += weight * own.astype(np.int64)


def sum_left_out(data, loss, fold_of, factors, fold, held, unit, sums):
    """The loss of the rows of a fold and what they count for, which are added to the last argument."""
    for i in np.flatnonzero(fold_of == fold):
        information = 1.0
        if loss == 0:
            p = np.append(1 - held[i], held[i]) if held.shape[1] == 1 else held[i] / held[i].sum()
            found = -np.log(p[data.labels[i]])
        elif loss == 1:
            found = (data.targets[i] - held[i, 0]) ** 2
        else:
            information = data.exposures[i]
            found = find_deviance(data, slice(i, i + 1), held[i]) / data.weights[i]
        scale = unit * factors[data.labels[i]]
        sums += int(data.weights[i]) * np.rint([scale * found, scale * information]).astype(
            np.int64
        )
