"""What minimize takes: arrays of any shape, a projection as domain, an oracle that only samples; and what verbose says."""

import numpy as np
import pytest

import cesaro

TARGET = np.arange(6.0).reshape(2, 3) / 5


def distance(W):
    """|W - TARGET|_1 + |W|^2/2 and a subgradient, of matrices."""
    assert W.shape == TARGET.shape
    return np.abs(W - TARGET).sum() + (W * W).sum() / 2, W + np.sign(W - TARGET)


def flat(w):
    value, g = distance(w.reshape(2, 3))
    return value, g.ravel()


def test_a_matrix_gives_the_same_run_as_its_entries_in_a_row():
    seen = []
    settings = {"mu": 1.0, "max_iter": 200, "tol": 1e-3}
    matrix = cesaro.minimize(distance, np.zeros((2, 3)), callback=seen.append, **settings)
    vector = cesaro.minimize(flat, np.zeros(6), **settings)
    assert matrix.x.shape == (2, 3)
    assert seen[0].shape == (2, 3)
    np.testing.assert_array_equal(matrix.x.ravel(), vector.x)
    assert (matrix.fun, matrix.lower_bound, matrix.nit) == (vector.fun, vector.lower_bound, vector.nit)


@pytest.mark.parametrize(
    "limits",
    [
        {"domain": cesaro.domains.Box(0.0, 0.5)},
        {"domain": lambda W: W.clip(0.0, 0.5, out=W)},
        {"bounds": [(0.0, 0.5)] * 6},
    ],
    ids=["domain", "function", "bounds"],
)
def test_a_matrix_within_a_domain(limits):
    res = cesaro.minimize(distance, np.full((2, 3), 2.0), mu=1.0, max_iter=2_000, **limits)
    assert res.x.min() >= 0.0
    assert res.x.max() <= 0.5
    np.testing.assert_allclose(res.x, TARGET.clip(0.0, 0.5), atol=0.05)


def test_a_function_is_a_domain_that_proves_as_much_as_an_object_that_projects():
    class Interval:
        def project(self, x):
            return x.clip(0.0, 0.5)

    found = [
        cesaro.minimize(flat, np.ones(6), mu=1.0, max_iter=300, domain=domain)
        for domain in (Interval(), Interval().project)
    ]
    assert found[0].gap == found[1].gap
    np.testing.assert_array_equal(found[0].x, found[1].x)


def test_an_oracle_may_have_samples_alone():
    class Noisy:
        def sample(self, W, rng):
            return distance(W)[1] + rng.normal(size=W.shape)

    res = cesaro.minimize(Noisy(), np.zeros((2, 3)), mu=1.0, max_iter=5_000, rng=0)
    assert np.isnan(res.fun)
    assert res.gap == np.inf
    assert res.success
    np.testing.assert_allclose(res.x, TARGET, atol=0.2)


def test_verbose_writes_lines_that_a_log_can_hold(capsys):
    settings = {"mu": 1.0, "max_iter": 50}
    cesaro.minimize(flat, np.zeros(6), **settings)
    assert capsys.readouterr() == ("", "")
    res = cesaro.minimize(flat, np.zeros(6), verbose=1, **settings)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(res.message)
    res = cesaro.minimize(flat, np.zeros(6), verbose=2, **settings)
    err = capsys.readouterr().err
    assert len(err.splitlines()) == len(res.trace)
    assert "\r" not in err
    assert f"gap {res.gap:.1e}" in err.splitlines()[-1]
