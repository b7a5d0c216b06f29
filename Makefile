.PHONY: run test bench lint clean
PYTHON ?= python3
BIN = .venv/bin

run: .venv/ready
	$(BIN)/python -m cesaro.reproduce

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

bench: .venv/ready
	$(BIN)/python benchmarks/methods/overhead.py
	$(BIN)/python benchmarks/optim/step_cost.py

lint: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,torch]' schedulefree
	touch $@

clean:
	rm -rf .venv
