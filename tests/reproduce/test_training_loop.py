"""The training harness: the paper's networks, and runs that continue bit by bit."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.data.cifar import Images
from cesaro.optim import GDA, SCPDA, Interpolated
from cesaro.reproduce.networks.architectures import cnn, vgg16
from cesaro.reproduce.networks.training_loop import Plan, Recipe, train

PLANS = {
    "GDA": Plan(lambda p, steps: GDA(p, 0.05, start=4, weight_decay=5e-3)),
    "SC-PDA": Plan(lambda p, steps: SCPDA(p, 0.05, start=steps // 2)),
    "Interpolated": Plan(lambda p, steps: Interpolated(p, 0.05)),
    "SGD, cosine": Plan(
        lambda p, steps: torch.optim.SGD(p, 0.05, momentum=0.9),
        lambda o, steps: torch.optim.lr_scheduler.CosineAnnealingLR(o, steps),
    ),
    "SWA": Plan(lambda p, steps: torch.optim.SGD(p, 0.05), swa_from=0.3),
}


@pytest.fixture(scope="module")
def images():
    """Four classes of noise around four colours."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=96)
    x = rng.integers(0, 128, size=(96, 3, 32, 32)) + 40 * np.stack([y & 1, y >> 1, y * 0], axis=1)[:, :, None, None]
    return Images(x.astype(np.uint8), y)


def test_the_paper_s_cnn_has_four_layers_with_weights():
    sizes = [tuple(p.shape) for p in cnn().parameters() if p.ndim > 1]
    assert sizes == [(32, 3, 3, 3), (32, 32, 3, 3), (128, 6272), (10, 128)]


def test_vgg_16_has_sixteen_layers_with_weights():
    model = vgg16(100)
    assert sum(p.ndim > 1 for p in model.parameters()) == 16
    assert model(torch.zeros(2, 3, 32, 32)).shape == (2, 100)


@pytest.mark.parametrize("name", PLANS)
def test_an_interrupted_run_continues_bit_by_bit(name, images, tmp_path):
    recipe = Recipe(epochs=3, batch_size=32, seed=3)
    whole = train(PLANS[name], recipe, images, images)
    file = tmp_path / "run.pt"

    class Stop(Exception):
        pass

    from cesaro.reproduce.networks import training_loop

    class Interrupted(training_loop.TrainingRun):
        def save(self, path):
            super().save(path)
            if self.epoch == 2:
                raise Stop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_loop, "TrainingRun", Interrupted)
        with pytest.raises(Stop):
            train(PLANS[name], recipe, images, images, checkpoint=file)
    resumed = train(PLANS[name], recipe, images, images, checkpoint=file)
    for key in ("epoch", "train_loss", "test_loss", "test_accuracy"):
        assert resumed[key] == whole[key]


def test_runs_depend_on_the_seed_alone(images):
    first, again, other = (
        train(PLANS["SC-PDA"], Recipe(epochs=1, batch_size=32, seed=s), images, images) for s in (1, 1, 2)
    )
    assert first["train_loss"] == again["train_loss"] != other["train_loss"]


def test_the_network_learns(images):
    history = train(PLANS["SC-PDA"], Recipe(epochs=8, batch_size=16), images, images)
    assert history["test_accuracy"][-1] > 0.5
    assert history["test_loss"][-1] < history["test_loss"][0]


def test_progress_goes_to_stderr(images, capsys):
    train(PLANS["GDA"], Recipe(epochs=1, batch_size=32), images, images, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "epoch 1" in err
