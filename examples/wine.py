"""Are there kinds of wine in a table of chemical analyses, if nobody says so?

    python examples/wine.py [FOLDER]

178 wines, 13 analyses each, from three cultivars (comes with scikit-learn). The clusters are found without the
cultivars, with a tenth of the cells removed, and then compared with them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from bayfold import NaiveBayesMixture

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, cultivar = load_wine(return_X_y=True, as_frame=True)
X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)  # gaps do no harm

mixture = NaiveBayesMixture(random_state=0).fit(X)  # as many clusters as held-out rows find best
cluster = mixture.predict(X)
print(f"{mixture.n_components_} clusters; {X.isna().sum().sum()} of {X.size} cells were missing")
print(f"agreement with the cultivars: {adjusted_rand_score(cultivar, cluster):.2f} (1 is perfect)")
for k in range(mixture.n_components_):
    typical = mixture.components_.where(component=k)[:3]
    words = [f"{each['column']} {each['typical']}" for each in typical]
    print(f"  cluster {k}, {typical['share'][0]:.0%} of the wines: {'; '.join(words)}")

figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for k in range(mixture.n_components_):
    own = X[cluster == k]
    ax.scatter(own["flavanoids"], own["color_intensity"], s=28, alpha=0.8, label=f"cluster {k}")
ax.set(xlabel="flavanoids", ylabel="colour intensity")
ax.legend(frameon=False)
figure.savefig(folder / "wine.png", dpi=100)
