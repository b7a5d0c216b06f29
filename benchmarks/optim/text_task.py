"""The task of train_text.py: a character-level transformer on the sources of Python's standard library.

Two layers, width 64, contexts of 64 characters, batches of 16: about 120,000 parameters, a step of 10 to 30 ms on one core.
Files are split by their names into about 90 % for training, 5 % for validation and 5 % for the test. The text is that of the
running Python: its length is written down with every run.
"""

import hashlib
import sysconfig
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

CONTEXT, BATCH, WIDTH, LAYERS, HEADS = 64, 16, 64, 2, 4
EVALUATED = 24  # batches of 64 contexts: 98,304 characters
CHARACTERS = ["\n", *map(chr, range(32, 127)), "\0"]  # the last stands for all others


class Text(NamedTuple):
    train: Tensor
    validation: Tensor
    test: Tensor


@cache
def load_text() -> Text:
    """The modules at the top of the standard library, as numbers of characters."""
    number = {character: i for i, character in enumerate(CHARACTERS)}
    parts: dict[str, list[int]] = {"train": [], "validation": [], "test": []}
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        lot = int(hashlib.sha256(path.name.encode()).hexdigest(), 16) % 20
        part = {0: "validation", 1: "test"}.get(lot, "train")
        text = path.read_text(encoding="utf-8", errors="replace")
        parts[part] += [number.get(c, len(CHARACTERS) - 1) for c in text]
    return Text(*(torch.tensor(parts[part], dtype=torch.uint8) for part in Text._fields))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH, bias=False)
        )

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.before_attention(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp(self.before_mlp(x))


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.characters, self.places = nn.Embedding(len(CHARACTERS), WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(CHARACTERS), bias=False)
        for p in self.parameters():
            if p.ndim == 2:
                nn.init.normal_(p, std=0.05)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.characters(tokens) + self.places.weight[: tokens.shape[1]]
        return self.head(self.norm(self.blocks(x)))


def loss(model: nn.Module, text: Tensor, starts: Tensor) -> Tensor:
    """Mean negative log-likelihood, in nats a character, over the contexts that begin at `starts`."""
    tokens = text[starts[:, None] + torch.arange(CONTEXT + 1)].long()
    return functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


@torch.no_grad()
def evaluate(model: nn.Module, text: Tensor) -> float:
    """The loss over fixed contexts, evenly spread."""
    starts = torch.linspace(0, len(text) - CONTEXT - 2, EVALUATED * 64).long()
    return float(torch.stack([loss(model, text, part) for part in starts.split(64)]).mean())
