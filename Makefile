PYTHON ?= python3
BIN := .venv/bin
OUT := out

.PHONY: run test lint docs clean

run: .venv/ready  ## train on the sample, answer its test topics, compare with the baselines
	$(BIN)/python -m ltr.train -m $(OUT)/model
	@for ranker in bm25 bm25-tuned dirichlet; do \
	  $(BIN)/python -m ltr.predict -i ltr/sample -o $(OUT)/$$ranker -m $$ranker --quiet || exit $$?; done
	$(BIN)/python -m ltr.predict -i ltr/sample -o $(OUT)/riposte -m $(OUT)/model
	$(BIN)/python -m ltr.evaluate --qrels ltr/sample/qrels-test-relevance.qrels --run $(OUT)/bm25/run.txt \
	  --run $(OUT)/bm25-tuned/run.txt --run $(OUT)/dirichlet/run.txt --run $(OUT)/riposte/run.txt
	@echo "the run: $(OUT)/riposte/run.txt"

test: .venv/ready lint docs  ## environment, lint, types, documentation, tests
	$(BIN)/python -m pytest

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/ready  ## the pages of docs/ as HTML; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Riposte needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf .venv $(OUT) model ltr/sample/.riposte-index
