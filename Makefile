PYTHON ?= python3
BIN := .venv/bin
OUT := out
SAMPLE := ltr/sample
BASELINES := bm25 bm25-tuned dirichlet length
RUNS := $(foreach ranker,$(BASELINES) riposte,--run $(OUT)/$(ranker)/run.txt)

.PHONY: run test lint docs clean

run: .venv/ready  ## train on the sample, answer its test topics, compare with the baselines
	$(BIN)/python -m ltr.train -m $(OUT)/model
	@for ranker in $(BASELINES); do \
	  $(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/$$ranker -m $$ranker --quiet || exit $$?; done
	$(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/riposte -m $(OUT)/model
	$(BIN)/python -m ltr.evaluate $(RUNS) --pair-qrels relevance=$(SAMPLE)/qrels-test-pairs-relevance.qrels \
	  --pair-qrels quality=$(SAMPLE)/qrels-test-pairs-quality.qrels --pair-qrels coherence=$(SAMPLE)/qrels-test-pairs-coherence.qrels
	$(BIN)/python -m ltr.evaluate $(RUNS) --qrels $(SAMPLE)/qrels-test-relevance.qrels
	@echo "the run: $(OUT)/riposte/run.txt"

test: .venv/ready lint docs  ## environment, lint, types, documentation, tests
	$(BIN)/python -m pytest

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: .venv/ready  ## the pages of docs/ as HTML; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Riposte needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf .venv $(OUT) model ltr/sample/.riposte-index
