"""Kernels broken on purpose are caught by the ties: each fault below is one that a typing error could make."""

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import printed_formulas as formulas
import pytest
from path_formulas import tie

import cesaro
import cesaro.compiled.vector_ops

FAULTS = [
    ("recursion", "zz += g * (2.0 * mz + g * square", "zz += g * (2.0 * mz - g * square"),
    ("recursion", "alpha + o * s, out", "alpha + a * s, out"),
    ("recursion", "lazy[TWO * i + ONE] += alpha * g", "lazy[TWO * i + ONE] -= alpha * g"),
    ("recursion", "start, stop, g, -alpha * g)", "start, stop, g, alpha * g)"),
    ("recursion", "zr[rows.col[j], 1] -= h", "zr[rows.col[j], 1] += h"),
    ("recursion", "targets[i, 1] = 0.0", "pass"),
    ("recursion", "return A + a, alpha", "return A + 1.0, alpha"),
    ("recursion", "if y * point < unit:", "if y * point > unit:"),
    ("recursion", "point, unit = s * mz, 1.0", "point, unit = -s * mz, 1.0"),
    ("recursion", "point, unit = alpha * mz + mr, out", "point, unit = alpha * mz + mr, 1.0"),
    ("recursion", "cut -= a * conjugate", "cut += a * conjugate"),
    ("recursion", "scale * inside if config.keep else scale", "scale"),
    ("recursion", "zr[j, 0] *= scale", "pass"),
    ("recursion", "part * part * part", "part * part"),
    ("recursion", "else a * u / scale", "else a * u"),
    ("recursion", "zr[d, 1] -= alpha * g * bias", "pass"),
    ("recursion", "zr[rows.d, 1] -= h * rows.bias", "pass"),
    ("recursion", "z[d] += g * bias", "pass"),
    ("recursion", "mr + bias * zr[d, 1]", "mr + bias * zr[d, 0]"),
    ("recursion", "stop), z) + bias * z[d], 0.0", "stop), z), 0.0"),
    ("recursion", "np.intp(stop), g)", "np.intp(stop), -g)"),
    ("rows", "float(_values(data, start, stop) @", "float(np.ones(stop - start) @"),
    ("rows", "+= g * _values(data, start, stop)", "+= g"),
    ("rows", "np.outer(_values(data, start, stop), (g, h))", "np.outer(_values(data, start, stop), (g, g))"),
    ("recursion", "cut += a\n", "cut -= a\n"),
    ("recursion", "cut += a\n", "cut += 1.0\n"),
    ("recursion", "s / scale, 0.0, 1.0", "s, 0.0, 1.0"),
    ("recursion", "s / scale, 0.0, 1.0", "s / scale, alpha, 1.0"),
    ("recursion", "out + o\n", "out + a\n"),
    ("recursion", "slope_sums[i, 1] += a", "slope_sums[i, 1] += 1.0"),
    ("recursion", "a = gamma * v[i]", "a = gamma"),
    ("recursion", "norm > radius * mu * Gamma", "norm > radius * Gamma"),
    ("batches", "zz += scatter", "zz = scatter"),
    ("batches", "-alpha * slopes[b]", "alpha * slopes[b]"),
    ("batches", "grown += g * x * (2.0 * zr[c, 0] + g * x)", "grown += g * x * (2.0 * zr[c, 0])"),
    ("batches", "slopes[b] = a * u / scale", "slopes[b] = a * u"),
    ("elastic", "config.l1 * A, batch_weight", "config.l1 * (A + 1.0), batch_weight"),
    ("elastic", "z * (sums[m, 0] - sums[i, 0])", "z * (sums[k, 0] - sums[i, 0])"),
    ("elastic", "config.l1 if c < rows.d else 0.0", "config.l1"),
    ("elastic", "lag[c] = k", "lag[c] = k - 1"),
    ("elastic", "o * config.mu * s * A", "o * config.mu * s"),
    ("implicit", "r / (q + bend * G)", "r / q"),
    ("implicit", "G = G + a * mu * mask\n    r, e", "G = G + a * mu\n    r, e"),
    ("implicit", "cut + g * (y - half * b)", "cut + g * (y - bend * b)"),
    ("implicit", "(t / unit) ** 3", "(t / unit) ** 2"),
    ("implicit", "idle = (batch.idle[p, 0], batch.idle[p, 1])", "idle = (batch.idle[p, 0], batch.idle[p, 1] + 16)"),
    ("logistic", "one - s, s)", "s, one - s)"),
    ("logistic", "log_one_plus(e) - s * t", "log_one_plus(e) + s * t"),
    ("logistic", "STEPS = 4", "STEPS = 1"),
]


HOME = {
    "recursion": "linear/solvers/averaging/kernels",
    "batches": "linear/solvers/averaging/minibatch",
    "elastic": "linear/solvers/averaging/elastic_net",
    "implicit": "linear/model_selection/path_kernels",
    "logistic": "linear/model_selection/path_logistic",
    "simd": "compiled/vector_ops",
    "rows": "compiled/row_ops",
}


def source(name):
    return (Path(cesaro.__file__).parent / f"{HOME[name]}.py").read_text()


def interpret(name, old="", new="", **replaced):
    """The module as plain Python, with `old` replaced by `new`."""
    text = source(name)
    assert not old or text.count(old) >= 1, f"{old!r} is no longer in {name}: write the fault anew"
    text = re.sub(
        r"^@(njit|register_jitable)\(.*\)$", "", text.replace(old, new, 1) if old else text, flags=re.MULTILINE
    )
    module = ModuleType(name)
    names = module.__dict__
    exec(compile(text.replace('getattr(config, "DISABLE_JIT", False)', "True"), name, "exec"), names)
    names.update(prefetch=lambda array, i: None, **replaced)
    return module


def ties_hold(name, old="", new=""):
    """Run the ties of the module that is at fault; they raise AssertionError if it is."""
    if name in ("implicit", "logistic"):
        return implicit_ties_hold(**{name: (old, new)})
    rows = interpret("rows", *([old, new] if name == "rows" else []))
    pairs = {each: getattr(rows, each) for each in ("dot_single", "add_single", "dot_pairs", "add_pairs")}
    recursion = interpret("recursion", *([old, new] if name == "recursion" else []), **pairs)
    recursion.ahead = recursion.ahead_long = lambda *_: None
    links = {"step": recursion.step, "fold": recursion.fold, "output_weight": recursion.output_weight}
    batches = interpret("batches", *([old, new] if name == "batches" else []), **links)
    elastic = interpret(
        "elastic",
        *([old, new] if name == "elastic" else []),
        batch_weight=batches.batch_weight,
        output_weight=recursion.output_weight,
    )
    kernels = SimpleNamespace(recursion=recursion, batches=batches, elastic=elastic)
    for seed in range(40):
        solver = ["gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"][seed % 5]
        sparse = name == "elastic"
        case = formulas.make_case(
            seed,
            formulas.LOSSES[seed % 9],
            "gda" if sparse else solver,
            ball=not sparse and seed % 3 != 0,
            l1=sparse,
            weights=seed % 2 == 0,
            batch=1 if name == "recursion" else 1 + seed % 3,
            anchor=[0.5, 4.0][seed % 2],
            bias=[0.0, 2.0][seed // 2 % 2],
            cubic=solver == "gda" or sparse,
            ones=seed % 4 == 3,
        )
        if name == "batches" and case.batch == 1:
            continue
        formulas.compare(case, formulas.run_kernel(kernels, case), formulas.printed(case))


def implicit_ties_hold(implicit=(), logistic=()):
    simd = interpret("simd")
    text = "from cesaro.compiled.vector_ops import add_rows, add_to_row, dot_rows, map_lanes\n"
    assert text in source("implicit")
    kept = sys.modules["cesaro.compiled.vector_ops"]
    sys.modules["cesaro.compiled.vector_ops"] = simd
    try:
        step = interpret("logistic", *logistic).step_logistic
        implicit = interpret("implicit", *implicit, step_logistic=step)
    finally:
        sys.modules["cesaro.compiled.vector_ops"] = kept
    implicit.ahead = lambda *_: None
    for seed, loss in enumerate(formulas.LOSSES):
        tie(implicit, loss, seed, folds=2, columns=1 + seed % 2, l1_ratio=0.0, bias=1.5, stride=3)


@pytest.mark.parametrize("name", ["recursion", "batches", "elastic", "implicit"])
def test_the_kernels_as_they_are_pass_in_plain_python(name):
    ties_hold(name)


@pytest.mark.parametrize(("name", "old", "new"), FAULTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_fault_is_caught(name, old, new):
    with pytest.raises(AssertionError, match=r"Not equal|location"):
        ties_hold(name, old, new)
