"""The dual update of a row: the maximiser of the dual in its coordinate, for every loss."""

import numpy as np
import pytest
from compiled import compiled
from linear_problems import EACH

from cesaro import losses
from cesaro.linear.problem import scalar_losses
from cesaro.linear.problem.scalar_losses import dual_form

(dual_update,) = compiled(scalar_losses.dual_update)


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_the_step_of_every_loss_is_the_maximiser_of_the_dual_in_its_coordinate(loss):
    rng = np.random.default_rng(0)
    form = dual_form(loss)
    for _ in range(60):
        y = rng.choice([-1.0, 1.0]) if form.cap > 0.0 else rng.normal()
        z, H, b = 2 * rng.normal(), 10 ** rng.uniform(-3, 3), 0.1 * y

        def dual(b, y=y, z=z, H=H):
            return loss.conjugate(-b, y) + z * b + H * b**2 / 2

        grid = np.linspace(-5 - abs(y - z), 5 + abs(y - z), 20_001)
        grid = grid[np.argmin(dual(grid))] + np.linspace(-1e-2, 1e-2, 20_001)
        found = dual(np.array(dual_update(form, y, z, H, b)))
        assert found <= dual(grid).min() + 1e-9 * (1 + abs(found))


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_a_row_of_norm_zero_has_a_finite_feasible_dual_value(loss):
    form = dual_form(loss)
    for y in (-1.0, 1.0):
        assert np.isfinite(loss.conjugate(-dual_update(form, y, 0.0, 0.0, 0.0), y))


def test_the_step_of_log_loss_is_found_from_any_start_and_for_any_pull():
    rng = np.random.default_rng(1)
    for _ in range(500):
        m, H = rng.normal() * 10 ** rng.uniform(-2, 3), 10 ** rng.uniform(-8, 8)
        found = {round(dual_update(dual_form(losses.LogLoss()), 1.0, m, H, b), 7) for b in (0.0, 0.3, 1.0)}
        a = found.pop()
        assert not found or abs(found.pop() - a) < 1e-6
        assert 0.0 <= a <= 1.0
