"""The order of rows on disk: every row once, a few blocks at a time."""

import errno
import os

import numpy as np
import pytest

from cesaro.linear.problem import block_order


@pytest.mark.parametrize("rows", [1, 7, 64, 1000])
def test_every_row_comes_once(rows):
    n, plan, rng = 1000, block_order.Layout(7, 3, None, ""), np.random.default_rng(0)
    order = np.sort(rng.choice(n, rows, replace=False)).astype(np.uint32)
    np.testing.assert_array_equal(np.sort(plan.shuffle(order.copy(), n, rng.shuffle)), order)


def test_a_few_blocks_come_at_a_time_and_others_together_in_the_next_epoch():
    plan, rng = block_order.Layout(10, 2, None, ""), np.random.default_rng(1)
    order = np.arange(200, dtype=np.uint32)
    first, second = (plan.shuffle(order.copy(), 200, rng.shuffle) for _ in range(2))
    groups = [{tuple(sorted(set(part // 10))) for part in np.split(fresh, 10)} for fresh in (first, second)]
    assert all(len(pair) == 2 for group in groups for pair in group)
    assert groups[0] != groups[1]


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system cannot reserve room on a disk")
def test_room_on_the_disk_is_reserved_so_that_a_full_one_is_an_error_and_no_death(tmp_path, monkeypatch):
    layout = block_order.Layout(7, 3, tmp_path, "")
    layout.empty((10, 4))[:] = 1.0

    def full(handle, offset, length):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left on device; 320 bytes are needed for the fit") as caught:
        layout.empty((10, 4))
    assert caught.value.filename == str(tmp_path)
