PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
OUT := out
SAMPLE := ltr/sample
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile
BASELINES := bm25 bm25-tuned dirichlet length
PAIR_QRELS := $(foreach name,relevance quality coherence,--pair-qrels $(name)=$(SAMPLE)/qrels-test-pairs-$(name).qrels)
RUNS := $(foreach ranker,$(BASELINES) riposte,--run $(OUT)/$(ranker)/run.txt)

export RIPOSTE_CACHE = $(CURDIR)/$(OUT)/cache

FUZZ_SECONDS ?= 60

.PHONY: run test test-more test-fuzz test-all lint docs lock notice sbom clean

run: .venv/ready  ## train on the sample, answer its test topics, compare with the baselines
	@mkdir -p $(OUT)
	@echo "1. Train on 8 topics of the sample; what was learned from: $(OUT)/training.txt"
	@$(BIN)/python -m ltr.train -m $(OUT)/model > $(OUT)/training.txt
	@echo "2. Rank pairs of sentences for 4 other topics: $(words $(BASELINES)) baselines, and riposte, the new model"
	@for ranker in $(BASELINES); do \
	  $(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/$$ranker -m $$ranker --quiet || exit $$?; done
	@$(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/riposte -m $(OUT)/model
	@echo "3. How good are the first five pairs of a topic? nDCG@5 by their grades, 1 is the best order there is:"
	@$(BIN)/python -m ltr.evaluate --brief $(RUNS) $(PAIR_QRELS)
	@echo "judged@5: share of the first five pairs that have a grade; those without one count as bad."
	@echo "length (longest pairs first) and random never look at the question: length does well in quality, because the"
	@echo "long sentences of this sample are the good ones, and badly in relevance."
	@echo "Four invented topics show that everything works, not how well: read the intervals."

test: .venv/ready lint docs  ## lint, types, documentation, the core of the tests
	$(PYTEST) -m "not system and not browser and not cluster and not slow and not fuzz"

test-more: .venv/ready  ## the tests that take their time, a browser or a cluster
	$(PYTEST) -m "system or browser or cluster or slow"

test-fuzz: .venv/ready  ## every reader against inputs that nobody would write, a minute each
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTEST) --dist load -m fuzz

test-all: test test-more test-fuzz  ## all of them

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: .venv/ready  ## the pages of docs/ as HTML; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs

lock:  ## requirements.txt: versions that fit pyproject.toml, the ones of today where they do, and hashes; it needs uv
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(or $(wildcard $(BIN)/uv),uv) pip compile --quiet $(UPGRADE) --universal \
	  --python-version 3.11 --generate-hashes --all-extras --output-file requirements.txt pyproject.toml

notice: .venv/ready  ## the licences in NOTICE, as the packages themselves state them
	$(BIN)/python -m experiments.release.licences

sbom: .venv/release  ## what an installation has in it, with every extra of a user, as CycloneDX
	@mkdir -p $(OUT)
	$(BIN)/python -m experiments.release.lock all | $(BIN)/cyclonedx-py requirements - --validate \
	  --output-reproducible --pyproject pyproject.toml --output-file $(OUT)/sbom.json

.venv/ready: pyproject.toml requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Riposte needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(PYTHON) -m experiments.release.lock dev > .venv/dev.txt
	$(PIP) --require-hashes -r .venv/dev.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

.venv/release: .venv/ready
	$(BIN)/python -m experiments.release.lock release > .venv/release.txt
	$(PIP) --require-hashes -r .venv/release.txt
	@touch $@

clean:
	rm -rf .venv $(OUT) model
