import numpy as np
import pytest
from compiled import compiled

from cesaro import losses
from cesaro.linear.problem import scalar_losses
from cesaro.linear.problem.scalar_losses import CODES, code_of

value, slope, conjugate = compiled(scalar_losses.value, scalar_losses.slope, scalar_losses.conjugate)

LOSSES = [
    *(kind() for kind in losses.ALL.values()),
    losses.Huber(1.35),
    losses.EpsilonInsensitive(0.0),
    losses.SquaredEpsilonInsensitive(0.7),
    losses.Quantile(0.9),
]
PREDICTIONS = np.concatenate([np.linspace(-3, 3, 61), np.array([-1e3, 1e3, -40.0, 40.0, 1.0 + 1e-12, 1.0 - 1e-12])])


def targets(loss):
    return np.array([-1.0, 1.0]) if type(loss) in losses.CLASSIFICATION.values() else np.array([-1.0, 0.0, 0.25, 2.0])


def scalars(function, loss, points, y):
    code, param = code_of(loss)
    return np.array([[function(code, param, p, t) for p in points] for t in y])


def test_every_loss_has_a_code_of_its_own():
    assert set(CODES) == set(losses.ALL.values())
    assert sorted(CODES.values()) == list(range(len(CODES)))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_scalar_values_and_slopes_are_those_of_the_loss_also_at_its_kinks(loss):
    y = targets(loss)
    np.testing.assert_allclose(
        scalars(value, loss, PREDICTIONS, y), loss.value(PREDICTIONS, y[:, None]), rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(
        scalars(slope, loss, PREDICTIONS, y), loss.slope(PREDICTIONS, y[:, None]), rtol=1e-13, atol=1e-15
    )


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_scalar_conjugates_are_those_of_the_loss_and_infinite_outside_its_domain(loss):
    y, u = targets(loss), np.concatenate([np.linspace(-5, 5, 81), [-1e-12, 1e-12, 0.1, -0.1]])
    np.testing.assert_allclose(scalars(conjugate, loss, u, y), loss.conjugate(u, y[:, None]), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_slope_and_conjugate_attain_the_fenchel_equality(loss):
    code, param = code_of(loss)
    for y in targets(loss):
        for p in PREDICTIONS:
            u = slope(code, param, p, y)
            assert value(code, param, p, y) == pytest.approx(u * p - conjugate(code, param, u, y), rel=1e-9, abs=1e-9)


def test_an_unknown_loss_is_refused_by_name():
    with pytest.raises(ValueError, match="Hinge, SquaredHinge"):
        code_of(object())
