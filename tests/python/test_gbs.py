"""Probabilities of Gaussian states: closed forms, sums over patterns, and The Walrus' where it is there."""

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
