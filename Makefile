PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
OUT := out
SAMPLE := ltr/sample
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile --max-worker-restart 0
BASELINES := bm25 bm25-tuned dirichlet length
PAIR_QRELS := $(foreach name,relevance quality coherence,--pair-qrels $(name)=$(SAMPLE)/qrels-test-pairs-$(name).qrels)
RUNS := $(foreach ranker,$(BASELINES) riposte,--run $(OUT)/$(ranker)/run.txt)
COMPILE := $(BIN)/uv pip compile --quiet --no-annotate --python-version 3.11 pyproject.toml
LOCK := UV_CUSTOM_COMPILE_COMMAND="make lock" $(COMPILE) --universal --generate-hashes

export RIPOSTE_CACHE = $(CURDIR)/$(OUT)/cache

FUZZ_EXAMPLES ?= 10000

.PHONY: run test test-lowest test-more test-fuzz test-all lint docs figures lock notice audit sbom clean

run: .venv/run  ## train on the sample, answer its test topics, compare with the baselines
	@mkdir -p $(OUT)
	@echo "1. Train on 8 topics of the sample (sources, columns and held-out figures: $(OUT)/training.txt)"
	@$(BIN)/python -m ltr.train -m $(OUT)/model > $(OUT)/training.txt
	@echo "2. Rank pairs of sentences for 4 other topics: $(words $(BASELINES)) baselines, and riposte, the new model"
	@for ranker in $(BASELINES); do \
	  $(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/$$ranker -m $$ranker --quiet || exit $$?; done
	@$(BIN)/python -m ltr.predict -i $(SAMPLE) -o $(OUT)/riposte -m $(OUT)/model
	@echo "3. Evaluate the first five pairs per topic by nDCG@5 of their grades; 1.0 is the ideal ranking:"
	@$(BIN)/python -m ltr.evaluate --brief $(RUNS) $(PAIR_QRELS)
	@echo "judged@5: share of the first five pairs that have a grade; pairs without one count as irrelevant."
	@echo "length (longest pairs first) and random ignore the question. length scores high in quality and low in relevance,"
	@echo "because the long sentences of this sample are the good ones."
	@echo "Four invented topics show that everything works, not how well: see the intervals."
	@echo
	@echo "What next:"
	@echo "  ask a question          $(BIN)/riposte search 'Should cities ban cars from their centres?'"
	@echo "  ask in a browser        $(BIN)/riposte serve -i $(SAMPLE)"
	@echo "  rank your own corpus    $(BIN)/riposte predict -i path/to/corpus -o $(OUT)/own    (docs/your-corpus.md)"

test: .venv/dev lint docs  ## lint, types, documentation, the core of the tests
	$(PYTEST) -m "not system and not browser and not cluster and not slow"

test-lowest: .venv/lowest  ## contracts and a run from end to end with the lowest versions that pyproject.toml allows
	.venv/lowest/bin/python -m pytest -p no:cacheprovider -n logical --maxprocesses 4 --dist loadfile \
	  tests/contract tests/system/test_end_to_end.py

test-more: .venv/dev  ## the tests that take their time, a browser or a cluster
	$(PYTEST) -m "system or browser or cluster or slow"

test-fuzz: .venv/dev  ## every reader against malformed input, 10,000 times each
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(PYTEST) --dist load tests/fuzz/test_readers.py

test-all: test test-lowest test-more test-fuzz  ## all of them

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: .venv/dev  ## the pages of docs/ as HTML; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs

# DATA is a folder with the data sets of docs/human.md; without it the tables are filled from the figures that there are.
figures: .venv/dev  ## measure again what README and the pages show of another model, and fill their tables
	$(BIN)/python docs/figures/make.py $(if $(DATA),--data $(DATA))

# Versions in the lock files stay where they fit pyproject.toml; UPGRADE=--upgrade takes the newest ones.
lock: .venv/dev  ## the versions and hashes to install: for releases, of these for development, of these for running
	$(LOCK) $(UPGRADE) --all-extras --output-file requirements-release.txt
	$(LOCK) --constraints requirements-release.txt --extra dev --output-file requirements-dev.txt
	$(LOCK) --constraints requirements-release.txt --extra web --extra remote --output-file requirements.txt

notice: .venv/release  ## the list in NOTICE: packages for users, extras included, with their licences
	@mkdir -p $(OUT)
	sed '/make notice/q' NOTICE > $(OUT)/NOTICE
	$(BIN)/pip-licenses --with-system --from=mixed --format=plain --no-version --output-file=$(OUT)/licences.txt \
	  --packages $$($(COMPILE) --no-header --constraints requirements-release.txt --extra all | sed 's/==.*//')
	sed -e 1d -e 's/ *$$//' $(OUT)/licences.txt >> $(OUT)/NOTICE
	mv $(OUT)/NOTICE NOTICE

audit: .venv/release  ## known vulnerabilities of the locked versions; a package that cannot be looked up is an error
	@$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement requirements-release.txt || \
	  { echo "audit: see the line above; 'could not be audited' means that pypi.org did not answer" >&2; exit 1; }

sbom: .venv/release  ## the packages of an installation, as CycloneDX
	@mkdir -p $(OUT)
	$(BIN)/cyclonedx-py requirements requirements.txt --validate \
	  --output-reproducible --pyproject pyproject.toml --output-file $(OUT)/sbom.json

.venv/run: pyproject.toml requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Riposte needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes -r requirements.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: .venv/run requirements-dev.txt
	$(INSTALL) --require-hashes -r requirements-dev.txt
	@touch $@

.venv/release: .venv/dev requirements-release.txt
	$(INSTALL) --require-hashes -r requirements-release.txt
	@touch $@

.venv/lowest: .venv/dev
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --no-build --resolution lowest-direct --python $@/bin/python \
	  -r pyproject.toml --extra all --extra test
	@touch $@

clean:
	rm -rf .venv $(OUT) model
