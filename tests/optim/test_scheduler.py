"""AveragingLR beside its identity with GDA, which is in test_against_methods."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import parameter

from cesaro.optim import AveragingLR


def test_the_scheduler_continues_from_its_checkpoint():
    def rates(steps, state=None):
        optimizer = torch.optim.SGD([parameter(1)], lr=0.5)
        schedule = AveragingLR(optimizer, averaging=2, start=3, t0=5)
        if state:
            schedule.load_state_dict(state)
        seen = []
        for _ in range(steps):
            optimizer.step()
            schedule.step()
            seen.append(schedule.get_last_lr()[0])
        return seen, schedule.state_dict()

    whole, _ = rates(12)
    first, state = rates(6)
    assert first + rates(6, state)[0] == whole
    assert whole[1] == 0.5 > whole[-1]
