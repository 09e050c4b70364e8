"""Which measurements tell a malignant tumour from a benign one, and which cases are unclear?

    python examples/breast_cancer.py [FOLDER]

569 tumours, 30 measurements each (Wisconsin breast cancer, which comes with scikit-learn). Writes a picture of the two
strongest measurements and a report into the folder.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

import bayfold.report
from bayfold import NaiveBayesClassifier
from bayfold.plot import plot_evidence

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]

# how good is it? every tumour is judged by a model that has not seen it
probability = cross_val_predict(NaiveBayesClassifier(), X, y, cv=10, method="predict_proba")
benign = probability[:, 0]
wrong = (benign > 0.5) != (y == "benign")
unclear = (benign > 0.05) & (benign < 0.95)
print(f"wrong: {wrong.mean():.1%}; unclear (5 to 95 %): {unclear.mean():.1%}")
print(f"wrong among the clear ones: {wrong[~unclear].mean():.1%}")

# what does it go by?
model = NaiveBayesClassifier().fit(X, y)
order = np.argsort(model.feature_importances_)[::-1]
for j in order[:5]:
    print(f"  {X.columns[j]}: {model.feature_importances_[j]:.0%} of the evidence")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, j in zip(axes, order[:2], strict=True):
    plot_evidence(model, X.columns[j], ax=ax)
figure.savefig(folder / "breast_cancer.png", dpi=100)

# a page to show to a colleague
bayfold.report.write(model, X, y, str(folder / "breast_cancer.html"), target="tumour")
