"""Mixtures of truncated exponentials: exact integrals, legal densities, the papers' form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from bayfold import MTEDensity
from bayfold.families.mte.exponentials import ATOMS, evaluate_basis, integrate_basis

seeds = st.integers(0, 2**32 - 1)
shapes = st.sampled_from(["normal", "exponential", "few", "two", "constant", "huge", "tiny"])
methods = st.sampled_from(["ls", "ml"])
few = settings(deadline=None, derandomize=True, max_examples=25)


def draw(seed, shape, n=60):
    rng = np.random.default_rng(seed)
    return {
        "normal": lambda: rng.normal(size=n),
        "exponential": lambda: rng.exponential(size=n),
        "few": lambda: rng.integers(0, 3, n).astype(float),
        "two": lambda: np.array([1.0, 4.0]),
        "constant": lambda: np.full(n, 7.0),
        "huge": lambda: 1e9 + 1e6 * rng.normal(size=n),
        "tiny": lambda: 1e-9 * rng.normal(size=n),
    }[shape]()


def integrate(function, density):
    pairs = zip(density.edges[:-1], density.edges[1:], strict=True)
    return sum(quad(function, a, b, epsabs=0, epsrel=1e-12, limit=200)[0] for a, b in pairs)


@pytest.mark.parametrize("power", [0, 1, 2])
@given(st.floats(0, 1))
def test_integrals_match_quadrature(power, u):
    found = integrate_basis(np.array(u), power)
    for b in range(len(found)):
        expected = quad(lambda t, b=b: t**power * evaluate_basis(t)[b], 0, u, epsrel=1e-12)[0]
        assert found[b] == pytest.approx(expected, rel=2e-11, abs=1e-300)


def test_atoms_are_densities():
    t = np.linspace(0, 1, 1001)
    values = evaluate_basis(t) @ ATOMS.T
    assert values.min() > -1e-12
    np.testing.assert_allclose(ATOMS @ integrate_basis(np.array(1.0)), 1.0, rtol=1e-12)


@few
@given(seeds, shapes, methods)
def test_integral_and_moments_match_quadrature(seed, shape, method):
    density = MTEDensity.fit(draw(seed, shape), method=method)
    assert integrate(density.pdf, density) == pytest.approx(1.0, rel=2e-11)
    assert density.moment(0) == pytest.approx(1.0, rel=2e-11)
    mean = density.mean()
    assert integrate(lambda x: x * density.pdf(x), density) == pytest.approx(mean, rel=1e-9)
    variance = integrate(lambda x: (x - mean) ** 2 * density.pdf(x), density)
    assert density.var() == pytest.approx(variance, rel=1e-8)


@few
@given(seeds, shapes, methods)
def test_quantiles_invert_the_distribution(seed, shape, method):
    density = MTEDensity.fit(draw(seed, shape), method=method)
    q = np.concatenate([[0.0, 1.0], np.random.default_rng(seed).random(30)])
    x = density.ppf(q)
    np.testing.assert_allclose(density.cdf(x), q, atol=1e-9)
    assert (np.diff(density.ppf(np.sort(q))) >= 0).all()
    assert density.edges[0] <= x.min() <= x.max() <= density.edges[-1]


@few
@given(seeds, shapes, methods, st.integers(1, 8))
def test_densities_are_never_negative(seed, shape, method, max_intervals):
    density = MTEDensity.fit(draw(seed, shape), method=method, max_intervals=max_intervals)
    assert len(density.edges) - 1 <= max_intervals
    x = np.linspace(density.edges[0], density.edges[-1], 500)
    assert (density.pdf(x) > 0).all()
    assert density.pdf(density.edges[0] - 1e10) == density.pdf(density.edges[-1] + 1e10) == 0


@few
@given(seeds, shapes, methods)
def test_weights_are_frequencies(seed, shape, method):
    x = draw(seed, shape)
    w = np.random.default_rng(seed).integers(0, 3, len(x))
    w[0] = 1
    once = MTEDensity.fit(x, w, method=method)
    twice = MTEDensity.fit(np.append(np.repeat(x, w), np.nan), method=method)
    np.testing.assert_allclose(once.edges, twice.edges, rtol=1e-12)
    np.testing.assert_allclose(once.coefficients, twice.coefficients, rtol=1e-6, atol=1e-9)


@few
@given(seeds, st.sampled_from([2.0, 1024.0, 0.125]), st.sampled_from([0.0, 64.0, -4.0]))
def test_units_do_not_matter(seed, scale, shift):
    x = np.round(draw(seed, "normal"), 3)
    a, b = MTEDensity.fit(x), MTEDensity.fit(shift + scale * x)
    q = np.linspace(0.01, 0.99, 20)
    np.testing.assert_allclose(b.ppf(q), shift + scale * a.ppf(q), rtol=1e-6, atol=1e-6 * scale)


def test_draws_follow_the_density():
    density = MTEDensity.fit(draw(0, "exponential", 500))
    draws = density.sample(4000, random_state=1)
    np.testing.assert_array_equal(draws, density.sample(4000, random_state=1))
    for q in (0.1, 0.5, 0.9):
        assert abs((draws <= density.ppf(q)).mean() - q) < 0.03


@pytest.mark.parametrize("origin", [0.0, "local", 2.5])
def test_the_papers_form_is_the_same_density(origin):
    density = MTEDensity.fit(draw(0, "normal"))
    for interval in density.export(origin):
        x = np.linspace(interval["low"], interval["high"], 7)[1:-1]
        a, b = np.array(interval["a"]), np.array(interval["b"])
        value = interval["a0"] + np.exp(np.outer(x - interval["origin"], b)) @ a
        np.testing.assert_allclose(value, density.pdf(x), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", ["ls", "ml"])
def test_a_normal_sample_is_fitted_well(method):
    x = np.random.default_rng(0).normal(size=2000)
    density = MTEDensity.fit(x, method=method)
    grid = np.linspace(-2.5, 2.5, 200)
    assert np.abs(density.pdf(grid) - norm.pdf(grid)).max() < 0.08
    likelihood = norm.logpdf(x).mean()
    assert density.logpdf(x).mean() > likelihood - 0.02


def test_maximum_likelihood_is_more_likely():
    x = draw(3, "exponential", 300)
    assert MTEDensity.fit(x, method="ml").logpdf(x).sum() > MTEDensity.fit(x).logpdf(x).sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_intervals": 0}, "`max_intervals` must be a whole number from 1 to 50. Got 0."),
        ({"max_intervals": True}, "`max_intervals` must be a whole number from 1 to 50."),
        ({"bandwidth_factor": 0}, "`bandwidth_factor` must be a number above zero. Got 0."),
        ({"method": "map"}, "`method` must be \"ls\" .* Got 'map'."),
        ({"weights": [1.0]}, "`weights` must have one entry per row"),
        ({"weights": [1.0, -1.0]}, "must be finite and not negative. Got -1.0."),
        ({"weights": [0.0, 0.0]}, "must be positive for at least one row"),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        MTEDensity.fit([1.0, 2.0], **arguments)


@pytest.mark.parametrize("x", [[], [np.nan], [[1.0]], [np.inf, 1.0], ["a"], None])
def test_what_is_no_list_of_numbers_is_refused(x):
    with pytest.raises(ValueError, match="`x` must be"):
        MTEDensity.fit(x)


def test_bad_questions_are_refused():
    density = MTEDensity.fit([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="`q` must be probabilities from 0 to 1"):
        density.ppf(1.5)
    with pytest.raises(ValueError, match="`q` must be probabilities from 0 to 1"):
        density.ppf("half")
    with pytest.raises(ValueError, match=r"`power` must be 0, 1 or 2\. Got 3"):
        density.moment(3)
    with pytest.raises(ValueError, match=r"`n_draws` must be a whole .* negative\. Got -1"):
        density.sample(-1)
    with pytest.raises(ValueError, match=r"`origin` must be .local. or a number\. Got 'x'"):
        density.export("x")


def test_a_density_with_given_rates_is_the_function_as_written():
    """What MTE papers print: other rates in every interval, coefficients rounded to three digits."""
    written = [
        {"low": -3.0, "high": 0.0, "a0": 0.05, "a": [0.4, -0.05], "b": [1.3, 0.2]},
        {"low": 0.0, "high": 2.5, "a0": 0.0, "a": [0.35], "b": [-0.9]},
    ]
    density = MTEDensity.from_intervals(written)

    def as_written(x):
        part = written[int(x >= 0)]
        return part["a0"] + sum(
            a * np.exp(b * x) for a, b in zip(part["a"], part["b"], strict=True)
        )

    mass = quad(as_written, -3, 0)[0] + quad(as_written, 0, 2.5)[0]
    x = np.linspace(-3, 2.5, 41)
    np.testing.assert_allclose(density.pdf(x), [as_written(v) / mass for v in x], rtol=1e-12)
    assert density.mean() == pytest.approx(integrate(lambda v: v * density.pdf(v), density))
    assert density.var() == pytest.approx(
        integrate(lambda v: (v - density.mean()) ** 2 * density.pdf(v), density)
    )
    q = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(density.cdf(density.ppf(q)), q, atol=1e-12)
    again = MTEDensity.from_intervals(density.export(origin="local"))
    np.testing.assert_allclose(again.pdf(x), density.pdf(x), rtol=1e-12)
    fitted = MTEDensity.fit(draw(0, "huge"))
    entered = MTEDensity.from_intervals(fitted.export("local"))
    np.testing.assert_allclose(entered.ppf(q), fitted.ppf(q), rtol=1e-12)


PART = {"low": 0.0, "high": 1.0, "a0": 1.0, "a": [], "b": []}


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ([], "at least one interval, each beginning where the one before ends"),
        ([PART, PART | {"low": 1.5, "high": 2.0}], "each beginning where the one before ends"),
        ([PART | {"high": 0.0}], "at least one interval"),
        ([PART | {"a": [1.0]}], "as many coefficients in a as rates in b"),
        ([PART | {"a": [1.0], "b": [0.0]}], "rates other than 0"),
        ([PART | {"a0": np.nan}], "finite numbers"),
        ([PART | {"a0": -1.0}], "nowhere negative"),
        ([PART | {"a": [1.0], "b": [1e4]}], "finite"),
        ([PART | {"a0": 0.0}], "above zero"),
        (["0 to 1"], "dicts with the keys low, high, a0, a and b"),
        ([{"low": 0.0}], "dicts with the keys"),
    ],
)
def test_intervals_that_are_no_density_are_refused(intervals, message):
    with pytest.raises(ValueError, match=message):
        MTEDensity.from_intervals(intervals)
