"""How far will the disease have progressed in a year, and how sure can we be?

    python examples/diabetes.py [FOLDER]

442 patients, ten measurements each (the diabetes study that comes with scikit-learn). The answer for a patient is not a
number but a distribution: the picture shows three of them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from bayfold import NaiveBayesRegressor
from bayfold.evaluate import cross_validate_distributions, find_coverage

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)

# do the intervals hold what they promise, for patients the model has not seen?
print(find_coverage(cross_validate_distributions(NaiveBayesRegressor(), X, y)))

# three patients: a low, a middling and a high prediction
model = NaiveBayesRegressor().fit(X, y)
predicted = model.predict(X)
patients = np.argsort(predicted)[[40, 220, 400]]
distribution = model.predict_distribution(X.iloc[patients])
print(model.explain(X.iloc[patients[2:]]))

grid = np.linspace(0, 380, 400)
density = distribution.pdf(grid)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for k, patient in enumerate(patients):
    low, high = distribution.interval(0.8)[k]
    label = f"patient {patient}: {predicted[patient]:.0f} (80 %: {low:.0f} to {high:.0f})"
    (line,) = ax.plot(grid, density[k], label=label)
    ax.axvline(y.iloc[patient], color=line.get_color(), ls=":")
ax.set(xlabel="progression after one year (dotted: what it was)", ylabel="density", ylim=0)
ax.legend(frameon=False)
figure.savefig(folder / "diabetes.png", dpi=100)
