"""Figure 2: rates chosen by validation, runs kept, words that follow from the numbers."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install cesaro[report]")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.data.cifar import Images
from cesaro.reproduce.budget import Budget
from cesaro.reproduce.networks import claims as network_claims
from cesaro.reproduce.networks import figure2, figure3, training_loop
from cesaro.reproduce.networks import runs as training
from cesaro.reproduce.networks.runs import FOUR, GDA, SC_PDA, SGD, SWA, Outcome, Trainer, TrainingSetting
from cesaro.reproduce.results import Figure

COMMITTED = Path(__file__).parents[2] / "docs" / "figures"
SMALL = TrainingSetting("cnn", "cifar10", images=48, epochs=3, rates=(0.05, 1e-6), screening=1, seeds=1, batch_size=16)


@pytest.fixture(autouse=True)
def images(monkeypatch):
    """Four colours with noise in the place of CIFAR-10; there is no CIFAR-100."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=96)
    x = rng.integers(0, 128, size=(96, 3, 32, 32)) + 40 * np.stack([y & 1, y >> 1, y * 0], axis=1)[:, :, None, None]
    known = Images(x.astype(np.uint8), y)

    def load(trainer):
        if trainer.setting.data != "cifar10":
            raise OSError("no network")
        return [Images(known.x[rows], known.y[rows]) for rows in (slice(48), slice(48, 72), slice(72, 96))]

    torch.set_num_threads(1)
    monkeypatch.setattr(Trainer, "load", load)


@pytest.fixture
def trained(monkeypatch):
    """The names of the runs that are trained, in order."""
    names, train = [], Trainer.train

    def noted(self, method, lr, seed, until, checkpoint):
        names.append((method.name, lr, seed, until))
        return train(self, method, lr, seed, until, checkpoint)

    monkeypatch.setattr(Trainer, "train", noted)
    return names


def test_the_rate_is_chosen_on_the_validation_images_and_its_run_goes_on(tmp_path, trained):
    outcome = Trainer(SMALL, tmp_path).outcome(SC_PDA)
    assert outcome.lr == max(outcome.scores, key=outcome.scores.get)
    assert trained == [("SC-PDA", 0.05, 0, 1), ("SC-PDA", 1e-6, 0, 1), ("SC-PDA", outcome.lr, 0, None)]
    alone = Trainer(SMALL, tmp_path / "alone").history(SC_PDA, outcome.lr, 0)
    assert outcome.runs[0]["test_loss"] == alone["test_loss"]
    assert not list(tmp_path.rglob("sc-pda*.pt"))


def test_what_is_known_is_not_trained_again(tmp_path, trained):
    first = training.compare_methods(SMALL, tmp_path)
    count = len(trained)
    assert training.compare_methods(SMALL, tmp_path) == first
    assert len(trained) == count
    assert ("SGD", 0.05, 0, None) not in trained  # it is inside SWA's


def test_sgd_inside_swa_is_sgd_and_gda_begins_as_sgd_bit_by_bit(tmp_path):
    trainer = Trainer(SMALL, tmp_path)
    inside, swa, gda = (trainer.history(method, 0.05, 0) for method in (SGD, SWA, GDA))
    alone = trainer.train(SGD, 0.05, 0, None, tmp_path / "alone.pt")
    for key in ("train_loss", "fitted_loss", "test_loss", "validation_accuracy"):
        assert inside[key] == alone[key]
    assert gda["test_loss"][0] == alone["test_loss"][0]
    assert swa["test_loss"][0] == alone["test_loss"][0]
    assert swa["test_loss"][-1] != alone["test_loss"][-1]
    assert gda["test_loss"][-1] != alone["test_loss"][-1]


def test_runs_of_the_benchmark_are_taken_as_they_are(tmp_path, trained):
    folder = tmp_path / "cnn-cifar10" / "48x3x16"
    folder.mkdir(parents=True)
    names = {SGD: "sgd-constant", SWA: "swa", GDA: "gda", SC_PDA: "sc-pda"}
    for method, file in names.items():
        for lr in SMALL.rates:
            run = {"name": method.file, "lr": lr, "seed": 0, **history([0.1, 0.2, 0.3 + lr])}
            (folder / f"{file}_lr{lr:g}_seed0.json").write_text(json.dumps(run), encoding="utf-8")
    found = training.compare_methods(SMALL, tmp_path)
    assert trained == []
    assert [outcome.lr for outcome in found] == [0.05] * 4
    assert training.epoch_series(found[0], "test_accuracy").mean == [10.0, 20.0, 35.0]


def test_an_interrupted_figure_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = Trainer(SMALL, tmp_path / "whole").history(SC_PDA, 0.05, 0)
    save = training_loop.TrainingRun.save

    def stop(self, path):
        save(self, path)
        if self.epoch == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training_loop.TrainingRun, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            Trainer(SMALL, tmp_path).history(SC_PDA, 0.05, 0)
    assert Trainer(SMALL, tmp_path).history(SC_PDA, 0.05, 0)["test_loss"] == whole["test_loss"]


def test_the_quick_figure_says_what_is_short_and_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(figure2, "QUICK", replace(SMALL, epochs=2))
    figure = figure2.run(Budget(tmp_path, quick=True))
    assert [len(panel.series) for panel in figure.panels] == [4, 4, 0, 0]
    assert "cesaro data fetch cifar100" in figure.panels[2].note
    assert "48 of 50,000 training images, 2 epochs" in figure.shortened[0]
    assert figure.claims == ()
    assert figure.table[0][1:] == ("rate 0.05", "rate 1e-06", "chosen")
    assert {path.suffix for path in figure2.draw(figure, tmp_path)} == {".pdf", ".png"}


def test_the_committed_figure_follows_from_the_committed_runs(trained):
    known = Figure.load(COMMITTED / "figure2.json")
    figure = figure2.run(Budget(COMMITTED / "runs", seeds=1))
    assert trained == [("SWA", rate, 0, 2) for rate in figure2.GRID[:1]]  # CIFAR-100 is tried, and is not here
    assert (figure.panels, figure.claims, figure.table) == (known.panels, known.claims, known.table)
    assert set(figure.shortened) <= set(known.shortened)


@pytest.mark.parametrize("quick", [True, False])
def test_without_images_the_figure_says_what_to_do(tmp_path, monkeypatch, quick):
    def missing(trainer):
        raise OSError("no network")

    monkeypatch.setattr(Trainer, "load", missing)
    figure = figure2.run(Budget(tmp_path, quick=quick))
    assert all(panel.series == () and "CESARO_DATA" in panel.note for panel in figure.panels)
    assert (figure.claims, figure.table) == ((), ())


def test_the_quick_figure_3_is_left_out_and_says_so(tmp_path):
    figure = figure3.run(Budget(tmp_path, quick=True))
    assert not any(panel.series for panel in figure.panels)
    assert all("Left out" in panel.note for panel in figure.panels)


def history(accuracy, loss=None):
    epochs = list(range(1, len(accuracy) + 1))
    loss = loss or [1.0] * len(epochs)
    return {
        "epoch": epochs,
        "seconds": epochs,
        "train_loss": loss,
        "fitted_loss": loss,
        "test_accuracy": accuracy,
        "validation_accuracy": accuracy,
    }


def outcomes(**runs):
    names = {"sgd": SGD, "swa": SWA, "gda": GDA, "sc_pda": SC_PDA}
    return {names[name]: Outcome(names[name], 0.1, {0.1: 0.5}, [run]) for name, run in runs.items()}


def test_an_edge_counts_if_it_is_above_the_noise():
    clear = outcomes(sgd=history([0.60]), swa=history([0.61]), gda=history([0.64]), sc_pda=history([0.65]))
    claim = network_claims.edge_claim(clear, 10_000, "a slight edge")
    assert claim.verdict == "reproduced"
    assert "GDA minus SWA +3.0" in claim.measured
    assert "Less than 0.7 is within the noise of 10,000 test images" in claim.measured
    assert network_claims.edge_claim(clear, 100, "a slight edge").verdict == "not"
    mixed = {**clear, SWA: Outcome(SWA, 0.1, {0.1: 0.5}, [history([0.645])])}
    assert network_claims.edge_claim(mixed, 10_000, "a slight edge").verdict == "partly"


def test_an_edge_in_the_last_epoch_alone_is_half_an_edge():
    found = outcomes(sgd=history([0.65, 0.60]), **{m: history([0.65, 0.65]) for m in ("swa", "gda", "sc_pda")})
    claim = network_claims.generalisation_claim(found, 10_000, "better")
    assert claim.verdict == "partly"
    assert "SWA minus SGD +5.0" in claim.measured
    assert "an epoch before: SWA minus SGD +0.0" in claim.measured


def test_training_losses_are_the_same_within_a_tenth_and_lower_than_that_of_sgd():
    losses = {"sgd": 1.2, "swa": 1.0, "gda": 1.05, "sc_pda": 1.02}
    found = outcomes(**{name: history([0.6], [loss]) for name, loss in losses.items()})
    assert network_claims.training_loss_claim(found, "fitted_loss").verdict == "reproduced"
    found[GDA].runs[0]["fitted_loss"] = [1.3]
    claim = network_claims.training_loss_claim(found, "fitted_loss")
    assert claim.verdict == "partly"
    assert "within 30 % of each other (not almost the same" in claim.measured


def test_oscillation_is_how_far_accuracy_falls_back_late_in_the_run():
    calm, rough = [0.1, 0.9, 0.2, 0.5, 0.6, 0.7], [0.1, 0.2, 0.3, 0.7, 0.5, 0.7]
    found = outcomes(sgd=history(rough), swa=history(calm), gda=history(calm), sc_pda=history(calm))
    assert network_claims.mean_fall(found[SWA]) == 0.0
    assert network_claims.mean_fall(found[SGD]) == pytest.approx(100 * 0.2 / 3)
    assert network_claims.oscillation_claim(found, "calmer").verdict == "reproduced"
    assert network_claims.oscillation_claim({**found, SGD: found[SWA]._replace(method=SGD)}, "calmer").verdict == "not"


def test_all_four_methods_are_in_the_paper_s_order():
    assert [method.name for method in FOUR] == ["SGD", "SWA", "GDA", "SC-PDA"]
