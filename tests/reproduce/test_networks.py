"""Figure 2: rates chosen by validation, runs kept, words that follow from the numbers."""

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
from cesaro.reproduce.networks.queue import jobs, missing_runs, train_all
from cesaro.reproduce.networks.runs import Outcome, Trainer, TrainingSetting
from cesaro.reproduce.networks.trainings import METHODS, MODIFIED, PRINTED, SGD, SWA, TRAININGS, plan
from cesaro.reproduce.results import Figure

COMMITTED = Path(__file__).parents[2] / "docs" / "figures"
SMALL = TrainingSetting("cnn", "cifar10", images=48, epochs=3, rates=(0.05, 1e-6), seeds=2, batch_size=16)


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

    def noted(self, training, lr, seed):
        names.append((training, lr, seed))
        return train(self, training, lr, seed)

    monkeypatch.setattr(Trainer, "train", noted)
    return names


def test_the_queue_makes_one_seed_of_everything_then_seeds_then_rates_then_seeds_at_the_rates_that_won(
    tmp_path, trained
):
    trainers, failures = train_all(SMALL, ("cifar10", "cifar100"), tmp_path)
    assert list(failures) == ["cifar100"]
    first = [(training, 0.05, 0) for training in TRAININGS]
    assert trained[: len(first) + 1] == [*first, (TRAININGS[0], 0.05, 0)]  # the last is CIFAR-100, which is not here
    made = [job for k, job in enumerate(trained) if k != len(first)]
    assert made[5:15] == [(t, 0.05, 1) for t in TRAININGS] + [(t, 1e-6, 0) for t in TRAININGS]
    assert missing_runs(trainers["cifar10"]) == []
    assert not list(tmp_path.rglob("*.pt"))
    for method in METHODS:
        outcome = trainers["cifar10"].outcome(method)
        assert outcome.lr == max(outcome.scores, key=outcome.scores.get)
        assert [run["seed"] for run in outcome.runs] == [0, 1]


def test_a_time_limit_leaves_the_rest_for_another_time(tmp_path, trained):
    trainers, _ = train_all(SMALL, ("cifar10",), tmp_path, time_limit=0.0)
    assert trained == []
    assert trainers["cifar10"].outcome(SGD) is None
    trainers["cifar10"].train(*next(jobs(trainers))[1:])
    again, _ = train_all(SMALL, ("cifar10",), tmp_path, time_limit=0.0)
    assert len(trained) == 1
    assert again["cifar10"].outcome(SGD).lr == 0.05
    assert len(set(missing_runs(again["cifar10"]))) == 14


def test_what_is_known_is_not_trained_again(tmp_path, trained):
    train_all(SMALL, ("cifar10",), tmp_path)
    count = len(trained)
    train_all(SMALL, ("cifar10",), tmp_path)
    assert len(trained) == count


def test_sgd_inside_swa_is_sgd_and_gda_with_a_constant_phase_begins_as_sgd_bit_by_bit(tmp_path):
    trainer = Trainer(SMALL, tmp_path)
    for training_name in ("SWA", "GDA", "GDA, as printed"):
        trainer.train(training_name, 0.05, 0)
    outcomes = {method: trainer.outcome(method) for method in METHODS[:7] if method.training != "SC-PDA, as printed"}
    sgd, swa, gda = (outcomes[method].runs[0] for method in (SGD, SWA, MODIFIED[1]))
    images = trainer.load()
    alone = training_loop.train(
        training_loop.Plan(lambda p, steps: torch.optim.SGD(p, 0.05, weight_decay=5e-3)),
        training_loop.Recipe(epochs=3, batch_size=16, classes=10),
        images[0],
        images[2],
        validation=images[1],
    )
    for key in ("train_loss", "fitted_loss", "test_loss", "validation_accuracy"):
        assert sgd[key] == alone[key]
    assert gda["test_loss"][0] == swa["test_loss"][0] == alone["test_loss"][0]
    assert swa["test_loss"][-1] != alone["test_loss"][-1]
    assert gda["test_loss"][-1] != alone["test_loss"][-1]
    last, average = (outcomes[method].runs[0] for method in (PRINTED[1], PRINTED[0]))
    assert last["test_loss"] != average["test_loss"]
    assert last["train_loss"] == average["train_loss"]
    assert not any(key.startswith(("averaged_", "iterate_")) for run in (sgd, last, average) for key in run)


def test_as_printed_the_weights_advance_from_the_first_step():
    w = [torch.nn.Parameter(torch.ones(1))]
    for name in ("GDA", "SC-PDA"):
        printed, constant = (plan(f"{name}{more}", 0.1).optimizer(w, 300).defaults for more in (", as printed", ""))
        assert (printed["start"], printed["t0"]) == (0, 0)
        assert (constant["start"], constant["t0"]) == (200, None)
    assert plan("GDA", 0.1).optimizer(w, 9000).defaults["start"] == 1000


def test_an_interrupted_figure_goes_on_where_it_was(tmp_path, monkeypatch):
    whole, begun = Trainer(SMALL, tmp_path / "whole"), Trainer(SMALL, tmp_path)
    whole.train("GDA, as printed", 0.05, 0)
    save = training_loop.TrainingRun.save

    def stop(self, path):
        save(self, path)
        if self.epoch == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training_loop.TrainingRun, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            begun.train("GDA, as printed", 0.05, 0)
    assert begun.finished("GDA, as printed", 0.05, 0) is None
    begun.train("GDA, as printed", 0.05, 0)
    runs = [trainer.finished("GDA, as printed", 0.05, 0) for trainer in (whole, begun)]
    assert runs[0]["averaged_test_loss"] == runs[1]["averaged_test_loss"]


def test_the_quick_figure_says_what_is_short_and_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(figure2, "QUICK", replace(SMALL, epochs=2, rates=(0.05,), seeds=1))
    figure = figure2.run(Budget(tmp_path, quick=True))
    assert [len(panel.series) for panel in figure.panels] == [5, 5, 5, 5]
    assert any("cesaro data fetch cifar100" in note for note in figure.shortened)
    assert "48 of 50,000 training images, 2 epochs" in figure.shortened[0]
    assert figure.claims == ()
    assert figure.table[0][1:] == ("rate 0.05", "chosen", "seeds", "test accuracy", "seconds a run")
    assert len(figure.table) == 1 + len(METHODS)
    assert {path.suffix for path in figure2.draw(figure, tmp_path)} == {".pdf", ".png"}


def test_a_figure_whose_runs_are_not_all_made_says_so_and_draws_those_that_are(tmp_path, monkeypatch):
    monkeypatch.setattr(figure2, "FULL", SMALL)
    trainer = Trainer(SMALL, tmp_path)
    for training_name in ("SWA", "GDA"):
        trainer.train(training_name, 0.05, 0)
    figure = figure2.run(Budget(tmp_path, time_limit=0.0))
    assert [len(panel.series) for panel in figure.panels] == [2, 2, 4, 4]
    assert "CIFAR-10: 2 of 15 runs are made" in figure.shortened
    assert any(note.startswith("CIFAR-100: not run: the time was over") for note in figure.shortened)
    assert figure.table[1][2] == "not run"
    assert figure.claims == ()


def test_rates_beyond_the_grid_are_tried_last_and_said_but_not_chosen(tmp_path, monkeypatch):
    setting = replace(SMALL, epochs=2, rates=(1e-6,), seeds=1, beyond=(0.05,))
    monkeypatch.setattr(figure2, "FULL", setting)
    figure = figure2.run(Budget(tmp_path))
    trainer = Trainer(setting, tmp_path)
    assert [job[1:] for job in jobs({"cifar10": trainer})][-2:] == [
        ("GDA, as printed", 0.05, 0),
        ("SC-PDA, as printed", 0.05, 0),
    ]
    assert trainer.outcome(PRINTED[0]).lr == 1e-6
    assert "Rates beyond the grid, one seed, test accuracy: GDA, as printed, averaged on CIFAR-10" in figure.caption


def test_the_committed_figure_follows_from_the_committed_runs(trained):
    known = Figure.load(COMMITTED / "figure2.json")
    figure = figure2.run(Budget(COMMITTED / "runs", time_limit=0.0))
    assert trained == []
    assert (figure.panels, figure.claims, figure.table) == (known.panels, known.claims, known.table)
    assert figure.shortened == known.shortened
    assert all(panel.series for panel in figure.panels)


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


def outcomes(sgd, swa, gda, last, sc_pda):
    """Of the methods as printed, each with its runs."""
    runs = dict(zip((SGD, SWA, *PRINTED), (sgd, swa, gda, last, sc_pda), strict=True))
    return {"CIFAR-10": {method: Outcome(method, 0.1, {0.1: 0.5}, each) for method, each in runs.items()}}


def ends(*accuracies):
    """Runs that end at these accuracies, one per seed."""
    return [history([accuracy]) for accuracy in accuracies]


def test_an_edge_counts_if_it_is_above_the_noise_of_images_and_seeds():
    clear = outcomes(ends(0.60), ends(0.61), ends(0.64), ends(0.64), ends(0.65))
    claim = network_claims.edge_claim(clear, PRINTED, 10_000, "a slight edge")
    assert claim.verdict == "reproduced"
    assert "SC-PDA, as printed minus SWA +4.0 (counts from 1.4)" in claim.measured
    assert "one seed" in claim.measured
    assert network_claims.edge_claim(clear, PRINTED, 100, "a slight edge").verdict == "not"
    steady = outcomes(ends(0.60, 0.602), ends(0.61, 0.611), *[ends(0.64, 0.641)] * 3)
    assert network_claims.edge_claim(steady, PRINTED, 10_000, "a slight edge").verdict == "reproduced"
    rough = outcomes(ends(0.60, 0.602), ends(0.61, 0.611), *[ends(0.58, 0.70)] * 3)
    assert network_claims.edge_claim(rough, PRINTED, 10_000, "a slight edge").verdict == "not"


def test_more_seeds_do_not_lower_the_noise_of_the_images():
    one, many = (network_claims.threshold([0.6] * k, [0.7] * k, 10_000) for k in (1, 9))
    assert one == pytest.approx(many)


def test_an_improvement_of_some_is_a_part_of_the_claim():
    found = outcomes(ends(0.60), ends(0.65), ends(0.65), ends(0.601), ends(0.65))
    claim = network_claims.generalisation_claim(found, PRINTED, 10_000, "better")
    assert claim.verdict == "partly"
    assert "SWA minus SGD +5.0" in claim.measured


def test_training_losses_are_the_same_within_a_tenth_and_lower_than_that_of_sgd():
    runs = [[history([0.6], [loss])] for loss in (1.2, 1.0, 1.05, 1.03, 1.02)]
    found = outcomes(*runs)
    assert network_claims.training_loss_claim(found, PRINTED, "loss").verdict == "reproduced"
    runs[2][0]["fitted_loss"] = [1.3]
    claim = network_claims.training_loss_claim(found, PRINTED, "loss")
    assert claim.verdict == "partly"
    assert "highest over lowest of the averaging ones 1.30, 3 of 4 lower than SGD" in claim.measured


def test_oscillation_is_how_far_accuracy_falls_back_late_in_the_run():
    steady, rough = [history([0.1, 0.9, 0.2, 0.5, 0.6, 0.7])], [history([0.1, 0.2, 0.3, 0.7, 0.5, 0.7])]
    found = outcomes(rough, *[steady] * 4)
    assert network_claims.mean_fall(found["CIFAR-10"][SWA]) == 0.0
    assert network_claims.mean_fall(found["CIFAR-10"][SGD]) == pytest.approx(100 * 0.2 / 3)
    assert network_claims.oscillation_claim(found, PRINTED, "less oscillation").verdict == "reproduced"
    assert network_claims.oscillation_claim(outcomes(*[steady] * 5), PRINTED, "less oscillation").verdict == "not"
