"""What two processes do in the distributed tests: train the table's optimisers on halves of each batch."""

import os
import sys
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).parent.parent))
from optim.optimisers import TABLE, Entry, make_batch, make_model

STEPS, HALF = 10, 5
DTYPE = torch.float64


def work(rank: int, folder: str) -> None:
    """One of two processes; results go to folder/results.pt."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if sys.platform == "linux":
        os.environ.update(GLOO_SOCKET_IFNAME="lo")
    dist.init_process_group("gloo", init_method=Path(folder, "meeting").as_uri(), rank=rank, world_size=2)
    results = {}
    for number, (name, entry) in enumerate(TABLE.items()):
        results[name, "ddp"] = ddp(entry, rank)
        results[name, "fsdp"], results[name, "checkpoint"] = sharded(entry, rank, f"{folder}/{number}")
    if rank == 0:
        torch.save(results, f"{folder}/results.pt")
    dist.barrier()


def train_half(entry: Entry, model: torch.nn.Module, optimizer: torch.optim.Optimizer, rank: int, steps: range) -> None:
    for t in steps:

        def closure(t: int = t) -> torch.Tensor:
            optimizer.zero_grad()
            inputs, targets = (x.chunk(2)[rank] for x in make_batch(t, DTYPE))
            loss = (model(inputs) - targets).square().mean()
            loss.backward()
            return loss

        entry.step(optimizer, closure)


def ddp(entry: Entry, rank: int) -> torch.Tensor:
    model = DistributedDataParallel(make_model(DTYPE))
    train_half(entry, model, entry.make(model.parameters()), rank, range(STEPS))
    return whole(model)


def sharded(entry: Entry, rank: int, folder: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights after an uninterrupted run, and after one that went through a checkpoint half-way."""
    model, optimizer = shard(entry, seed=0)
    train_half(entry, model, optimizer, rank, range(HALF))
    saved, state = get_state_dict(model, optimizer)
    dcp.save({"model": saved, "optimizer": state}, checkpoint_id=folder)
    train_half(entry, model, optimizer, rank, range(HALF, STEPS))

    again, fresh = shard(entry, seed=1)
    saved, state = get_state_dict(again, fresh)
    loaded = {"model": saved, "optimizer": state}
    dcp.load(loaded, checkpoint_id=folder)
    set_state_dict(again, fresh, model_state_dict=loaded["model"], optim_state_dict=loaded["optimizer"])
    train_half(entry, again, fresh, rank, range(HALF, STEPS))
    return whole(model), whole(again)


def shard(entry: Entry, seed: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    model = make_model(DTYPE, seed)
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    return model, entry.make(model.parameters())


def whole(model: torch.nn.Module) -> torch.Tensor:
    full = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
    return torch.cat([p.detach().flatten() for p in full])


if __name__ == "__main__":
    work(int(sys.argv[1]), sys.argv[2])
    sys.stderr.flush()
    os._exit(0)  # results are written; threads of torch's backend may still run, and abort an ordinary end
