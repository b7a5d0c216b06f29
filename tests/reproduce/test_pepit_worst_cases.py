"""Worst cases by semidefinite programming against the corrected Theorem 2."""

import pytest

from cesaro.reproduce.theorems.pepit_worst_cases import worst_case
from cesaro.weights import Linear, Power, Uniform

pytest.importorskip("PEPit")


@pytest.mark.parametrize("weights", [Uniform(), Linear(), Power(2)], ids=repr)
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_the_worst_case_is_within_the_corrected_theorem_2_and_for_two_steps_attains_it(weights, steps):
    ratio = worst_case(weights, steps)
    assert ratio <= 1 + 1e-5
    if steps <= 2:
        assert ratio == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("steps", [5, 6])
def test_with_linear_weights_it_is_so_up_to_six_steps(steps):
    assert 0.8 < worst_case(Linear(), steps) <= 1 + 1e-5


def test_the_worst_case_exceeds_theorem_2_as_printed():
    assert worst_case(Linear(), 2, corrected=False) > 1.1
