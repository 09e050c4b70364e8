"""Draw the picture of docs/incomplete-data.md: a mixture of truncated exponentials over a histogram.

python -m docs.make_mte
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from bayfold import MTEDensity, MTERegressor

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Two panels: one density, and the densities of a column within pieces of the target."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(2, 0.5, 700), rng.gamma(4, 0.9, 800) + 2.2])
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
    density = MTEDensity.fit(values)
    x = np.linspace(density.edges[0], density.edges[-1], 1000)
    left.hist(values, bins=60, density=True, color="0.85")
    left.plot(x, density.pdf(x), color="tab:blue", lw=2, label="least squares")
    likely = MTEDensity.fit(values, method="ml")
    left.plot(x, likely.pdf(x), color="tab:orange", lw=1.2, label="maximum likelihood")
    for edge in density.edges:
        left.axvline(edge, color="0.6", lw=0.7, ls=":")
    left.set(xlabel="value", ylabel="density", title="One density, six intervals")
    left.legend(frameon=False)
    y = rng.normal(size=2000)
    column = y + 0.6 * rng.normal(size=2000)
    model = MTERegressor(n_pieces=5, bandwidth_factor=1.0).fit(column[:, None], y)
    pieces = model.densities(0)
    x = np.linspace(pieces[0].edges[0], pieces[0].edges[-1], 1000)
    shades = plt.get_cmap("viridis")(np.linspace(0.05, 0.9, len(pieces)))
    for k, (shade, piece) in enumerate(zip(shades, pieces, strict=True)):
        low, high = model.piece_edges_[k : k + 2]
        right.plot(x, piece.pdf(x), color=shade, label=f"y from {low:.1f} to {high:.1f}")
    right.set(xlabel="x", title="A column within five pieces of the target")
    right.legend(frameon=False, fontsize=8)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(IMAGES / "mte.png", dpi=110)


if __name__ == "__main__":
    main()
