"""A few hundred random problems, drawn anew for no run: `make soak` has 20,000 (docs/reliability.md)."""

import pytest
from random_problems.checks import violations


@pytest.mark.parametrize("first", range(0, 300, 30))
def test_nothing_that_a_fit_claims_of_a_random_problem_is_false(first):
    found = {seed: violations(seed) for seed in range(first, first + 30)}
    assert {seed: claims for seed, claims in found.items() if claims not in ([], ["refused"])} == {}


FOUND = (
    453,
    957,
    1077,
    1203,
    3489,
    4059,
    4279,
    4768,
    4841,
    4911,
    5832,
    5979,
    6390,
    6739,
    6807,
    8775,
    9315,
    12743,
    15869,
    201227,
    700999,
)


@pytest.mark.parametrize("seed", FOUND)
def test_problems_that_have_once_shown_something_do_so_no_more(seed):
    assert violations(seed) in ([], ["refused"])
