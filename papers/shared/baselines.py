"""Baselines of Frank et al. (1998): linear regression with elimination, nearest neighbours by the distance of IB1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.number_peers import find_nominal

NEAREST = 1e-3
"""Added to distances before weights are their reciprocals, so that equal rows have one."""

MOST_NEIGHBOURS = 20
"""Of which Frank et al. choose."""

LOSSES = {"squared": np.square, "absolute": np.abs}


class OrderedCodes:
    """Numbers as they are, missing ones by the mean; a nominal column of k values as k - 1 columns of 0 and 1.

    Values are ordered by their mean target, and column i says whether the value is among the last k - i: the coding
    of model trees. Missing values are the most frequent one.
    """

    def __init__(self, X: pd.DataFrame, y: np.ndarray) -> None:
        nominal = set(find_nominal(X))
        self.means = {name: X[name].mean() for name in X.columns if name not in nominal}
        self.orders, self.modes = {}, {}
        for name in nominal:
            cells = X[name].astype(object)
            known = cells.notna().to_numpy()
            if known.any():
                by_value = pd.Series(y[known]).groupby(cells[known].to_numpy()).mean()
                self.orders[name] = {v: k for k, v in enumerate(by_value.sort_values().index)}
                self.modes[name] = cells[known].mode().iloc[0]

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """The matrix, with a column of ones first."""
        columns = [np.ones(len(X))]
        for name in X.columns:
            if name in self.means:
                cells = X[name].to_numpy(float)
                mean = self.means[name]
                columns.append(np.where(np.isnan(cells), 0.0 if np.isnan(mean) else mean, cells))
            elif name in self.orders:
                order = self.orders[name]
                cells = X[name].astype(object)
                cells = cells.where(cells.isin(list(order)), self.modes[name])
                place = np.array([order[cell] for cell in cells])
                columns += [(place >= k).astype(float) for k in range(1, len(order))]
        return np.column_stack(columns)


class EliminatedLinearRegression:
    """Least squares, columns left out one by one as long as Akaike's criterion falls."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> EliminatedLinearRegression:
        """Backward elimination: the column whose loss adds least to the squared error goes first."""
        self.codes = OrderedCodes(X, y)
        matrix = self.codes.transform(X)
        self.scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
        matrix = matrix / self.scale
        kept = find_independent(matrix)
        floor = 1e-12 * max(float(((y - y.mean()) ** 2).sum()), 1e-300)
        best, self.kept = np.inf, kept
        while True:
            inverse = np.linalg.pinv(matrix[:, kept].T @ matrix[:, kept], hermitian=True)
            slopes = inverse @ (matrix[:, kept].T @ y)
            squares = max(float(((y - matrix[:, kept] @ slopes) ** 2).sum()), floor)
            criterion = len(y) * np.log(squares / len(y)) + 2 * len(kept)
            if criterion > best:
                return self
            best, self.kept, self.slopes = criterion, kept, slopes
            if len(kept) == 1:
                return self
            rise = slopes[1:] ** 2 / np.maximum(np.diag(inverse)[1:], 1e-300)
            kept = np.delete(kept, 1 + int(np.argmin(rise)))

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """The plane at each row."""
        matrix = self.codes.transform(X) / self.scale
        return matrix[:, self.kept] @ self.slopes


def find_independent(matrix: np.ndarray) -> np.ndarray:
    """Columns that are no combination of those before them, the first always."""
    triangle = np.abs(np.diag(np.linalg.qr(matrix, mode="r")))
    n_possible = min(matrix.shape)
    good = np.flatnonzero(triangle[:n_possible] > 1e-9 * triangle.max())
    return np.union1d([0], good)


class NearestNeighbours:
    """Distance-weighted nearest neighbours, at most 20: how many, by leaving one row out, for each loss by itself.

    The distance of IB1: numbers divided by their range, 0 or 1 for categories; a missing cell is as far away as can
    be. Weights are reciprocals of the root of the mean squared difference of columns.
    """

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> NearestNeighbours:
        """Keep the rows; find how many neighbours leave the least squared, and the least absolute error."""
        self.nominal = find_nominal(X)
        self.numbers = [name for name in X.columns if name not in self.nominal]
        self.low = X[self.numbers].min().to_numpy(float)
        span = X[self.numbers].max().to_numpy(float) - self.low
        self.span = np.where(span > 0, span, 1.0)
        self.rows, self.y = self._read(X), y
        distance = self._distances(self.rows)
        np.fill_diagonal(distance, np.inf)
        misses = self._means(distance, min(MOST_NEIGHBOURS, len(y) - 1)) - y[:, None]
        self.k = {
            loss: 1 + int(np.argmin(measure(misses).mean(axis=0)))
            for loss, measure in LOSSES.items()
        }
        return self

    def predict(self, X: pd.DataFrame, loss: str = "squared") -> np.ndarray:
        """Weighted means of the nearest targets."""
        return self._means(self._distances(self._read(X)), self.k[loss])[:, -1]

    def _read(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        numbers = (X[self.numbers].to_numpy(float) - self.low) / self.span
        return numbers, X[self.nominal].astype(object).to_numpy(object)

    def _distances(self, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        numbers, labels = rows
        total = np.zeros((len(numbers), len(self.y)))
        for j in range(numbers.shape[1]):
            a, b = numbers[:, j, None], self.rows[0][None, :, j]
            known = np.where(np.isnan(a), b, a)
            one = np.maximum(known, 1 - known)  # as far as the other can be
            both = np.where(np.isnan(known), 1.0, one)
            total += np.where(np.isnan(a) | np.isnan(b), both, a - b) ** 2
        for j in range(labels.shape[1]):
            a, b = pd.Series(labels[:, j]), pd.Series(self.rows[1][:, j])
            codes, _ = pd.factorize(pd.concat([a, b]))
            first, second = codes[: len(a), None], codes[None, len(a) :]
            total += (first != second) | (first < 0) | (second < 0)
        return np.sqrt(total / max(numbers.shape[1] + labels.shape[1], 1))

    def _means(self, distance: np.ndarray, k: int) -> np.ndarray:
        """The prediction of every row by 1 to k neighbours."""
        order = np.argsort(distance, axis=1, kind="stable")[:, :k]
        weights = 1.0 / (np.take_along_axis(distance, order, axis=1) + NEAREST)
        return np.cumsum(weights * self.y[order], axis=1) / np.cumsum(weights, axis=1)
