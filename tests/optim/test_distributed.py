"""Two processes on halves of each batch are one process on the whole: the state is a function of the gradients."""

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")
if not torch.distributed.is_available():
    pytest.skip("this PyTorch has no torch.distributed", allow_module_level=True)

from optim.optimisers import TABLE, trained
from optim.workers import DTYPE, STEPS


@pytest.mark.slow
def test_two_processes_are_one_and_sharded_checkpoints_continue_where_they_were(tmp_path):
    """DDP and FSDP2 against one process on the whole batch; torch.distributed.checkpoint against the uninterrupted run."""
    results = run_both(tmp_path)
    for name, entry in TABLE.items():
        whole = trained(entry, STEPS, DTYPE)
        assert (results[name, "ddp"] - whole).abs().max() < 1e-12, name
        assert (results[name, "fsdp"] - whole).abs().max() < 1e-12, name
        assert torch.equal(results[name, "checkpoint"], results[name, "fsdp"]), name


def run_both(folder):
    """All runs of the two processes."""
    command = [sys.executable, str(Path(__file__).parent / "workers.py")]
    processes = [
        subprocess.Popen([*command, str(rank), str(folder)], stderr=subprocess.PIPE, text=True) for rank in range(2)
    ]
    try:
        for process in processes:
            _, errors = process.communicate(timeout=200)
            assert process.returncode == 0, errors[-2000:]
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stderr.close()
    return torch.load(folder / "results.pt")
