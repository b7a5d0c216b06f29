.PHONY: run check test test-oldest coverage bench soak docs dist lint clean
ifeq ($(OS),Windows_NT)
SHELL = bash
PYTHON ?= python
SCRIPTS = Scripts
else
PYTHON ?= python3
SCRIPTS = bin
endif
BIN = .venv/$(SCRIPTS)
OLDEST = .venv-oldest
PEERS = schedulefree skl2onnx onnxruntime skops polars ipython  # what the tests hold us against, or hand models to
PIP = -m pip install --quiet --disable-pip-version-check

run: .venv/ready
	$(BIN)/cesaro reproduce --quick

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/python -m pytest -n auto

test-oldest: $(OLDEST)/ready
	$(OLDEST)/$(SCRIPTS)/python -m pytest -n auto

# Compiled code cannot be measured: the kernels' own tests run as plain Python too.
KERNELS = $(addprefix tests/linear/,problem/test_scalar_losses.py problem/test_dual_update.py problem/test_row_order.py \
	solvers/averaging/test_kernels.py solvers/averaging/test_solver.py solvers/averaging/test_multi_target.py \
	solvers/averaging/test_against_methods.py solvers/anchored/test_polish.py solvers/anchored/test_shards.py \
	estimators/test_partial_fit.py model_selection/test_path.py::test_every_model_is_implicit_dual_averaging_of_its_own) \
	tests/data/svmlight/test_decimals.py tests/data/svmlight/test_reader.py tests/optim/test_kernels.py
coverage: .venv/ready
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -n auto $(KERNELS)
	$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: .venv/ready
	$(BIN)/python $(PIP) -c constraints.txt setuptools cython
	$(BIN)/python $(PIP) --no-build-isolation -c constraints.txt -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/results.py

# Into site/, without the network; a warning is an error, and the pages are opened in a browser where there is one.
docs: .venv/docs
	rm -rf site docs/api
	$(BIN)/python -m sphinx -W --keep-going -E -q docs site
	$(BIN)/python -m pytest docs/test_site.py

# Source and wheel in dist/, checked; the wheel runs in an environment that has nothing else.
dist: .venv/ready
	rm -rf dist
	$(BIN)/python $(PIP) -c constraints.txt build twine
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tests/check_dist.py dist

# Seeded; the counts are in docs/reliability.md. The same tests, with small counts, are in the suite.
soak: .venv/ready
	PYTHONPATH=tests $(BIN)/python -m random_problems.soak 20000
	PYTHONPATH=tests $(BIN)/python -m data.soak_svmlight 100000
	CESARO_KILLS=50 $(BIN)/python -m pytest tests/linear/estimators/test_killed_fits.py tests/engines/test_killed_driver.py
	$(BIN)/python tests/interrupted_fits.py 100
	$(BIN)/python tests/timed_fits.py
	CESARO_FORGERIES=1000 $(BIN)/python -m pytest tests/storage/test_forged_model_files.py \
		tests/linear/estimators/test_forged_checkpoints.py
	CESARO_FITS=1000 $(BIN)/python -m pytest tests/linear/estimators/test_processes.py
	$(BIN)/python benchmarks/engines/soak.py

lint: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) -c constraints.txt -e '.[test,torch,dask,report,tables,theorems]' $(PEERS)
	touch $@

.venv/docs: .venv/ready
	$(BIN)/python $(PIP) -c constraints.txt -e '.[docs]'
	touch $@

$(OLDEST)/ready: pyproject.toml tests/lower_bounds.py
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/$(SCRIPTS)/python $(PIP) packaging
	$(OLDEST)/$(SCRIPTS)/python tests/lower_bounds.py > $(OLDEST)/constraints.txt
	$(OLDEST)/$(SCRIPTS)/python $(PIP) -c $(OLDEST)/constraints.txt -e '.[test,dask,report,tables,theorems]'
	touch $@

clean:
	rm -rf .venv $(OLDEST) site docs/api docs/api.rst docs/charts docs/gallery
