.PHONY: run test bench soak lint clean
PYTHON ?= python3
BIN = .venv/bin

run: .venv/ready
	$(BIN)/cesaro reproduce --quick

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

bench: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt setuptools cython
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/results.py

soak: .venv/ready
	PYTHONPATH=tests $(BIN)/python -m data.soak_svmlight 100000
	CESARO_KILLS=50 $(BIN)/python -m pytest tests/linear/test_checkpoint.py -k killed
	$(BIN)/python benchmarks/engines/soak.py

lint: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,torch,dask,report]' schedulefree
	touch $@

clean:
	rm -rf .venv
