"""Bad settings are refused with advice, before anything changes; good ones become plain values."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import parameter

from cesaro.optim import GDA, SCPDA, AveragingLR, Interpolated
from cesaro.weights import Geometric, Linear, Power, Uniform

BOTH = pytest.mark.parametrize("optimizer", [GDA, SCPDA])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lr": -0.1}, "lr must be finite and not negative: got -0.1"),
        ({"lr": "fast"}, "lr must be finite"),
        ({"lr": torch.ones(2)}, "one element"),
        ({"averaging": "cubic"}, "averaging must be.*got 'cubic'"),
        ({"averaging": -1.0}, "averaging must be"),
        ({"start": -1}, "start must be None or a whole number, at least 0: got -1"),
        ({"start": 0.5}, "start must be"),
        ({"steps": 0}, "steps must be None or a whole number, at least 1: got 0"),
        ({"t0": -1}, "t0 must be None or a whole number, at least 0: got -1"),
        ({"radius": 0.0}, "radius must be positive and finite: got 0.0"),
        ({"per_row": True}, "per_row=True needs a radius"),
        ({"weight_decay": float("nan")}, "weight_decay must be finite"),
        ({"average_dtype": torch.int64}, "average_dtype must be a floating"),
        ({"foreach": True, "fused": True}, "cannot both be True"),
    ],
)
@BOTH
def test_bad_settings_are_refused_with_advice(optimizer, settings, message):
    with pytest.raises(ValueError, match=message):
        optimizer([parameter(2)], **settings)
    good = optimizer([parameter(2)])
    with pytest.raises(ValueError, match=message):
        good.add_param_group({"params": [parameter(2)], **settings})
    assert len(good.param_groups) == 1


@BOTH
def test_weights_and_numbers_may_come_from_elsewhere(optimizer):
    for averaging, name in ((Linear(), "linear"), (Uniform(), "uniform"), (np.int64(1), "linear")):
        settings = {"lr": np.float32(0.5), "averaging": averaging, "start": np.int64(3), "t0": np.int32(0)}
        group = optimizer([parameter(2)], **settings).param_groups[0]
        assert group["averaging"] == name
        assert [type(group[key]) for key in ("lr", "start", "t0")] == [float, int, int]


@BOTH
def test_complex_parameters_do_not_fit_a_real_average(optimizer):
    with pytest.raises(ValueError, match="cannot hold complex"):
        optimizer([parameter(2, dtype=torch.complex64)], average_dtype=torch.float32)


def test_a_bad_interpolation_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"b must lie between 0 and 1: got 1\.5"):
        Interpolated([parameter(2)], b=1.5)
    with pytest.raises(ValueError, match='dual must be "plain" or "average"'):
        Interpolated([parameter(2)], dual="primal")


def test_the_plain_dual_step_has_no_horizon():
    with pytest.raises(ValueError, match="steps=100 sets `start`"):
        Interpolated([parameter(2)], steps=100)
    assert Interpolated([parameter(2)], dual="average", steps=100).param_groups[0]["steps"] == 100


@pytest.mark.parametrize("optimizer", [GDA, SCPDA])
def test_the_number_of_steps_sets_where_the_weights_begin_to_advance(optimizer):
    params = [parameter(3), parameter(3)]
    assert AveragingLR(torch.optim.SGD([parameter(1)], lr=0.1), steps=9).steps == 9
    known, given = optimizer([params[0]], steps=9), optimizer([params[1]], start=6)
    for _ in range(9):
        known.step()
        given.step()
    assert torch.equal(*params)


def test_the_scheduler_refuses_what_the_optimisers_refuse():
    optimizer = torch.optim.SGD([parameter(1)], lr=0.5)
    with pytest.raises(ValueError, match="start must be None or a whole number, at least 0: got -3"):
        AveragingLR(optimizer, start=-3)
    with pytest.raises(ValueError, match="averaging must be"):
        AveragingLR(optimizer, averaging="sharp")


def test_averaging_objects_become_plain_values_that_a_checkpoint_can_hold():
    given = [Power(1), Power(0), Power(0.5), Power(2), Geometric(0.1)]
    kept = [GDA([parameter(1)], averaging=a).param_groups[0]["averaging"] for a in given]
    assert kept == ["linear", "uniform", ("power", 0.5), ("power", 2), 0.1]


@BOTH
def test_a_rate_of_adamw_s_gets_a_hint_once(optimizer, caplog):
    optimizer([parameter(1)], lr=0.1)
    assert not caplog.records
    for _ in range(2):
        optimizer([parameter(1)], lr=3.1e-4)
    (record,) = caplog.records
    assert "lr=0.00031, which is in AdamW's range" in record.getMessage()


def test_the_averaged_weights_of_gda_need_to_be_asked_for():
    with pytest.raises(RuntimeError, match="average=True"), GDA([parameter(1)]).averaged():
        pass


def test_without_torch_the_import_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None\nfrom cesaro.optim import GDA"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install cesaro[torch]" in done.stderr
