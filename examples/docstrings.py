"""What is a function for, by the first words of its description, and which words give it away?

    python examples/docstrings.py [FOLDER]

The descriptions of SciPy's functions, with the number of their arguments beside them: a column of text and a number,
taken as they are. Writes a picture of the strongest words into the folder.
"""

import inspect
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import integrate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
from sklearn.model_selection import cross_val_predict

from bayfold import NaiveBayesClassifier
from bayfold.plot import plot_evidence

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

rows = []
for module in (integrate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats):
    name = module.__name__.split(".")[1]
    for thing in vars(module).values():
        text = inspect.getdoc(thing) if callable(thing) else None
        if text:
            code = getattr(thing, "__code__", None)  # only of what is written in Python
            rows.append((text[:300], code and code.co_argcount, name))
table = pd.DataFrame(rows, columns=["text", "arguments", "module"]).drop_duplicates("text")
X, y = table[["text", "arguments"]], table["module"].to_numpy()

# how good is it? every description is judged by a model that has not seen it
found = cross_val_predict(NaiveBayesClassifier(), X, y, cv=5)
guess = table["module"].mode()[0]
print(
    f"{len(y)} descriptions; wrong: {np.mean(found != y):.1%}; always {guess}: {np.mean(y != guess):.1%}"
)

# what does it go by?
model = NaiveBayesClassifier().fit(X, y)
words = model.evidence_.where(column="text", **{"class": "signal"})
print("signal:", ", ".join(words["bin"][:8]))
one = model.explain(X[y == "stats"][:1]).where(**{"class": "stats"})
print(one[:10])

plot_evidence(model, "text").figure.savefig(folder / "docstrings.png", dpi=100, bbox_inches="tight")
