import numpy as np
import pytest
from compiled import compiled

from cesaro import losses
from cesaro.linear.problem import scalar_losses
from cesaro.linear.problem.scalar_losses import dual_form

value, slope, conjugate, distance = compiled(
    scalar_losses.value, scalar_losses.slope, scalar_losses.conjugate, scalar_losses.distance_to_kink
)

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
    return np.array([[function(dual_form(loss), p, t) for p in points] for t in y])


def test_no_two_losses_have_the_same_dual_form():
    forms = [
        kind().dual() for kind in losses.ALL.values() if kind is not losses.AbsoluteError
    ]  # a quantile: the median
    assert len(set(forms)) == len(forms) == 9
    assert losses.AbsoluteError().dual() == losses.Quantile(0.5).dual()
    for form in forms:
        assert form.low <= 0.0 <= form.high


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_bounds_of_the_dual_values_are_the_domain_of_the_conjugate(loss):
    for y in targets(loss):
        low, high = loss.dual().bounds(y)
        assert np.isfinite(loss.conjugate(-np.clip([low, high], -1e9, 1e9), y)).all()
        beyond = np.array([bound for bound in (low - 1e-6, high + 1e-6) if abs(bound) < 1e9])
        assert np.isinf(loss.conjugate(-beyond, y)).all()


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_phi_prime_is_constant_within_the_distance_to_a_kink_on_a_flat_piece(loss):
    """A row may leave the active set if its dual value is -phi' throughout p +- slack."""
    form = dual_form(loss)
    for y in targets(loss):
        for p in np.linspace(-3, 3, 61):
            d = distance(form, p, y)
            assert d >= 0.0
            here, near = slope(form, p, y), slope(form, p + 1e-7, y)
            if here == near and d > 1e-6:
                assert slope(form, p + 0.999 * d, y) == slope(form, p - 0.999 * d, y) == here


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
    form = dual_form(loss)
    for y in targets(loss):
        for p in PREDICTIONS:
            u = slope(form, p, y)
            assert value(form, p, y) == pytest.approx(u * p - conjugate(form, u, y), rel=1e-9, abs=1e-9)


def test_an_unknown_loss_is_refused_by_name():
    with pytest.raises(ValueError, match="Hinge, SquaredHinge"):
        dual_form(object())
