"""What the next epoch is expected to take: of the first no more than its rows explain, then the longest, slowly forgotten."""

import time

import pytest

from cesaro.linear.solvers import expected_time
from cesaro.linear.solvers.expected_time import ENTRY, FORGET, ExpectedTime


@pytest.fixture
def clock(monkeypatch):
    """Time passes only by `take`."""
    now = [0.0]
    monkeypatch.setattr(expected_time.time, "perf_counter", lambda: now[0])

    def take(seconds):
        def act():
            now[0] += seconds
            return seconds

        return act

    return take


def test_of_the_first_no_more_is_believed_than_its_rows_explain(clock):
    expected = ExpectedTime(1000)
    expected.of(clock(5.0))  # it has compiled
    assert expected.seconds == pytest.approx(1000 * ENTRY)
    assert expected.last == 5.0
    expected.of(clock(2.0))
    assert expected.seconds == 2.0


def test_a_shorter_one_is_believed_slowly_and_a_longer_one_at_once(clock):
    expected = ExpectedTime(10**9)
    expected.of(clock(1.0))
    expected.of(clock(0.1))
    assert expected.seconds == pytest.approx(FORGET)
    expected.of(clock(0.1))
    assert expected.seconds == pytest.approx(FORGET**2)
    expected.of(clock(3.0))
    assert expected.seconds == 3.0


def test_what_was_done_is_handed_back(clock):
    assert ExpectedTime(0).of(clock(0.25)) == 0.25


def test_nothing_is_expected_of_a_first_one_whose_entries_are_not_known():
    expected = ExpectedTime(0)
    expected.of(lambda: time.sleep(0.01))
    assert expected.seconds == 0.0
    assert expected.last >= 0.01
