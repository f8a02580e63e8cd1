"""Probabilities of Gaussian states: closed forms, sums over patterns, and The Walrus' where it is there."""

import collections
import itertools
import math

import numpy as np
import pytest

import matchcount as mc
from matchcount import gbs


def state(n, seed, displaced, hbar=2.0):
    """A mixed state: a product of symplectic matrices from random Hamiltonians, thermal noise, means."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(2 * n, 2 * n)) * 0.2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    generator, symplectic, term = form @ (h + h.T), np.eye(2 * n), np.eye(2 * n)
    for k in range(1, 40):
        term = term @ generator / k
        symplectic = symplectic + term
    noise = 1 + rng.random(n) * 0.3
    cov = hbar / 2 * symplectic @ np.diag([*noise, *noise]) @ symplectic.T
    return (cov + cov.T) / 2, rng.normal(size=2 * n) * math.sqrt(hbar) * 0.5 * displaced


def test_coherent_and_thermal_light_have_their_laws():
    alpha = 0.6 - 0.7j
    for hbar in (1.0, 2.0):
        means = math.sqrt(2 * hbar) * np.array([alpha.real, alpha.imag])
        for count in range(6):
            poisson = math.exp(-abs(alpha) ** 2) * abs(alpha) ** (2 * count) / math.factorial(count)
            assert abs(gbs.probability(np.eye(2) * hbar / 2, means, [count], hbar=hbar) - poisson) < 1e-14
            assert abs(gbs.probability(np.eye(2) * hbar * 1.5, None, [count], hbar=hbar) - 0.5 ** (count + 1)) < 1e-14
        clicks = gbs.probability(np.eye(2) * hbar / 2, means, [1], threshold=True, hbar=hbar)
        assert abs(clicks - (1 - math.exp(-abs(alpha) ** 2))) < 1e-14


@pytest.mark.parametrize("displaced", [False, True])
def test_threshold_patterns_sum_to_one_and_are_sums_of_photons(displaced):
    cov, means = state(2, 3, displaced)
    clicks = {p: gbs.probability(cov, means, p, threshold=True) for p in itertools.product((0, 1), repeat=2)}
    assert abs(sum(clicks.values()) - 1) < 1e-12
    sums = dict.fromkeys(clicks, 0.0)
    for counts in itertools.product(range(9), repeat=2):
        sums[tuple(min(c, 1) for c in counts)] += gbs.probability(cov, means, counts)
    missing = 1 - sum(sums.values())
    assert 0 <= missing < 0.05
    for pattern, clicked in clicks.items():
        assert -1e-12 <= clicked - sums[pattern] <= missing + 1e-12


def test_probabilities_are_those_of_the_walrus():
    quantum = pytest.importorskip("thewalrus.quantum")
    from thewalrus import threshold_detection_prob

    rng = np.random.default_rng(7)
    for seed in range(60):
        n = 1 + seed % 4
        cov, means = state(n, seed, seed % 2)
        counts = rng.integers(0, 3, n).tolist()
        theirs = quantum.density_matrix_element(means, cov, counts, counts).real
        assert abs(gbs.probability(cov, means, counts) - theirs) < 1e-10
        clicks = rng.integers(0, 2, n).tolist()
        assert abs(gbs.probability(cov, means, clicks, threshold=True) - threshold_detection_prob(means, cov, clicks)) < 1e-10


def test_what_is_no_state_or_pattern_is_refused():
    for arguments in ((np.eye(2) / 2, None, [0]), (np.eye(2), None, [-1]), (np.eye(2), None, [0, 0]),
                      (np.array([[1, 0.5], [0, 1]]), None, [0]), (np.eye(2) * np.nan, None, [0]), (np.eye(2), [1.0], [0])):
        with pytest.raises(mc.InputError):
            gbs.probability(*arguments)
    for keywords in ({"pattern": [2], "threshold": True}, {"pattern": [0], "hbar": 0}):
        with pytest.raises(mc.InputError):
            gbs.probability(np.eye(2), **keywords)


def excess(drawn, probabilities):
    """Pearson's statistic over patterns expected five times or more, beyond its mean, in units of its deviation."""
    shots, statistic, freedom = len(drawn), 0.0, -1
    times = collections.Counter(map(tuple, drawn.tolist()))
    rest, rest_expected = shots, float(shots)
    for pattern, probability in probabilities.items():
        if probability * shots >= 5:
            statistic += (times[pattern] - probability * shots) ** 2 / (probability * shots)
            freedom, rest, rest_expected = freedom + 1, rest - times[pattern], rest_expected - probability * shots
    if rest_expected >= 5:
        statistic, freedom = statistic + (rest - rest_expected) ** 2 / rest_expected, freedom + 1
    return (statistic - freedom) / math.sqrt(2 * max(freedom, 1))


@pytest.mark.parametrize("displaced", [False, True])
@pytest.mark.parametrize("hbar", [1.0, 2.0])
def test_samples_have_their_probabilities(displaced, hbar):
    cov, means = state(2, 5, displaced, hbar)
    for keywords, most in (({}, 5), ({"cutoff": 1}, 1), ({"threshold": True}, 1)):
        drawn = gbs.sample(cov, means, 4000, hbar=hbar, seed=11, **keywords)
        assert drawn.shape == (4000, 2) and drawn.dtype == np.int64
        clicks = keywords.get("threshold", False)
        law = {p: gbs.probability(cov, means, p, threshold=clicks, hbar=hbar)
               for p in itertools.product(range(most + 1), repeat=2)}
        whole = sum(law.values()) if "cutoff" in keywords else 1
        assert excess(drawn, {pattern: probability / whole for pattern, probability in law.items()}) < 5
        assert (drawn == gbs.sample(cov, means, 4000, hbar=hbar, seed=11, threads=1, **keywords)).all()


@pytest.mark.parametrize("counts", [[1, 1, 1, 0], [2, 0, 1, 1], [0, 4, 0, 0], [0, 0, 0, 0]])
def test_photons_have_the_probabilities_of_permanents(counts):
    rng = np.random.default_rng(2)
    unitary = np.linalg.qr(rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4)))[0]
    entered, law = np.repeat(range(4), counts), {}
    for left in itertools.combinations_with_replacement(range(4), sum(counts)):
        pattern = tuple(np.bincount(np.array(left, int), minlength=4).tolist())
        amplitude = sum(math.prod(unitary[i, j] for i, j in zip(left, order)) for order in itertools.permutations(entered))
        law[pattern] = abs(amplitude) ** 2 / math.prod(math.factorial(count) for count in (*pattern, *counts))
    assert excess(gbs.sample_photons(unitary, counts, 4000, seed=5), law) < 5


def test_faulty_samples_are_refused():
    for arguments in (([[1.0]], [1, 0]), ([[1.0]], [-1]), ([[1.0]], [0.5]), ([[0.5]], [1]), ([[1.0]], [1], -1)):
        with pytest.raises(mc.InputError):
            gbs.sample_photons(*arguments)
    for arguments, keywords in (((np.eye(3),), {}), ((np.eye(2), None, 1), {"cutoff": -1}), ((np.eye(2) / 2,), {}),
                                ((np.eye(2),), {"cutoff": 1, "threshold": True}), ((np.eye(2),), {"hbar": 0})):
        with pytest.raises(mc.InputError):
            gbs.sample(*arguments, **keywords)
