"""The classification domains that boosting is judged on, and the peers on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from bayfold.datasets import list_datasets, load_dataset

TING_ZHENG = {
    "Abalone": "abalone3",
    "Annealing processes": "anneal.ORIG",
    "Audiology": "audiology",
    "Breast cancer (Wisconsin)": "breast-w",
    "Chess (king-rook vs. king-pawn)": "kr-vs-kp",
    "Credit screening (Australia)": "credit-a",
    "Glass identification": "glass",
    "Heart disease (Cleveland)": "heart-cleveland-num",
    "Horse colic": "colic",
    "House votes 84": "vote",
    "Hypothyroid diagnosis": "hypothyroid-3163",
    "LED 24 (noise level = 10%)": "led24",
    "Liver disorders": "bupa",
    "Nursery": "nursery",
    "Pima Indians diabetes": "diabetes",
    "Primary tumor": "primary-tumor",
    "Satellite": "satimage",
    "Solar flare": "solar-flare",
    "Sonar classification": "sonar",
    "Soybean large": "soybean",
    "Splice junction gene sequences": "splice-3177",
    "Tic-Tac-Toe endgame": "tic-tac-toe",
}
"""The domains of Ting and Zheng (2003) by file, without DNA, Nettalk, and Coding, which is lost."""


def other_datasets(max_rows: int) -> list[str]:
    """All other classification datasets with at most so many rows."""
    used = set(TING_ZHENG.values())
    names = [name for name in list_datasets("classification") if name not in used]
    return [name for name in names if _n_rows(name) <= max_rows]


def _n_rows(name: str) -> int:
    return len(load_dataset(name, task="classification").target)


FIRST_SEED = 1000
"""Folds from here on were not looked at when settings were chosen."""


@dataclass(frozen=True, eq=False)
class Domain:
    """A dataset with its known targets as numbers from 0."""

    name: str
    arrow: Any
    pandas: Any
    target: np.ndarray
    n_classes: int

    @classmethod
    def load(cls, name: str) -> Domain:
        """Read a dataset; rows without a target are left out."""
        dataset = load_dataset(name, task="classification")
        known = np.array([label is not None for label in dataset.target])
        classes, target = np.unique(dataset.target[known].astype(str), return_inverse=True)
        frame = dataset.frame.filter(known)
        return cls(name, frame, frame.to_pandas(), target, len(classes))

    def splits(self, repeat: int, n_folds: int = 3) -> list[tuple[np.ndarray, np.ndarray]]:
        """Stratified folds, the same for every model."""
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=FIRST_SEED + repeat)
        return list(folds.split(self.target, self.target))


def random_forest(one_hot: bool = True) -> Any:
    """A forest of 100 trees behind medians and one-hot codes, or numbers for categories."""
    if one_hot:
        encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    else:
        encode = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
        )
    prepared = make_column_transformer(
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
        (encode, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(prepared, RandomForestClassifier(random_state=0, n_jobs=1))


def hist_gradient_boosting() -> Any:
    """As it comes, with its own treatment of categories and missing cells, without columns that hold nothing else."""
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    return make_pipeline(KnownColumns(), model)


class KnownColumns(TransformerMixin, BaseEstimator):
    """Columns of a pandas frame with a known cell in training: histogram boosting stumbles over others."""

    def fit(self, X: Any, y: Any = None) -> KnownColumns:
        """Remember which they are."""
        self.columns_ = X.columns[X.notna().any()]
        return self

    def transform(self, X: Any) -> Any:
        """Only these columns."""
        return X[self.columns_]
