# make demo, make test, make check, make bench: the commands to learn. CI runs make test-all, too.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
UQLM_VENV := .uqlm-venv
BIN := $(VENV)/bin
# What to install PyTorch from: TORCH=torch==X, or TORCH="torch --index-url URL" for a build without CUDA.
TORCH ?= torch
# How many processes share the tests; 0 runs them in one, as `python -m pytest` does.
WORKERS ?= 2
SECONDS ?= 600
PYTEST := python -m pytest --numprocesses $(WORKERS) --dist worksteal
# The processes share the processors: threads of OpenBLAS, which wait for work in a loop, would take them from each other.
ONE_THREAD := OPENBLAS_NUM_THREADS=1
# Hundreds of tests start a program: modules that are compiled once are not compiled at every start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all faults check bench bench-validity fuzz weights-wheel clean

demo: $(VENV)/installed
	@mkdir -p demo
	$(BIN)/semscale rate examples/product_reviews.csv --text text --scale quality --respondent review \
	  --human human_ratings --human-range -4 4 --out demo/ratings.csv --report demo/report.html

test: $(VENV)/developer
	$(ONE_THREAD) $(BIN)/$(PYTEST) -m "not exhaustive"

# What `make test` leaves out: kills, fuzzing, coverage of intervals, and the extras that are not in the developers' environment.
# Ray has one cluster for all its tests, so they share one process. PyTorch has an environment of its own.
test-all: $(VENV)/developer $(BENCH_VENV)/installed
	$(BIN)/python -m pip install --quiet --group cloud
	$(BIN)/python -m pip install --quiet --editable ".[inspect,local,ray,serve]"
	$(ONE_THREAD) $(BIN)/$(PYTEST) -m "exhaustive and not ray"
	$(BIN)/python -m pytest -m ray
	$(BENCH_VENV)/bin/python -m pip install --quiet --group dev --editable ".[torch]"
	$(ONE_THREAD) $(BENCH_VENV)/bin/$(PYTEST) --extra torch tests/embedding tests/compat tests/matching

# All that docs/reliability.md counts: each long command killed at 50 moments and disturbed in the other ways.
faults: $(VENV)/developer
	SEMSCALE_FAULTS=all $(BIN)/python -m pytest --capture no tests/faults

check: $(VENV)/developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# QUICK=1 has small sizes, to see that all of it runs: its figures say nothing.
bench: $(VENV)/developer $(BENCH_VENV)/installed $(UQLM_VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[ray]"
	$(BIN)/python bench/engine.py --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --texts 100)
	$(BIN)/python bench/engine.py --model e5-small --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --texts 100)
	$(BIN)/python bench/entailment.py --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --pairs 50)
	$(BIN)/python bench/entailment.py --family deberta-v2 --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --pairs 50)
	$(BIN)/python bench/memory.py $(if $(QUICK),--texts 500)
	$(BIN)/python bench/precision.py $(if $(QUICK),--texts 100)
	$(BIN)/python bench/bertscore.py --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --pairs 64 --memory-pairs 2000)
	$(BENCH_VENV)/bin/python -m pip install --quiet --editable ".[torch]"
	$(BIN)/python bench/layered.py --peer $(BENCH_VENV)/bin/python $(if $(QUICK),--turns 1 --pairs 20)
	$(BIN)/python bench/cache.py $(if $(QUICK),--texts 100 --rows 5000)
	$(BIN)/python bench/rating.py $(if $(QUICK),--rows 20000 --rounds 1)
	$(BIN)/python bench/structure.py
	$(BIN)/python bench/survey_speed.py $(if $(QUICK),--rows 2000 --questions 5)
	$(BIN)/python bench/tables.py $(if $(QUICK),--rows 2000 --questions 5)
	$(BIN)/python bench/startup.py $(if $(QUICK),--turns 1)
	$(BIN)/python bench/streaming.py $(if $(QUICK),--rows 20000)
	$(BIN)/python bench/growth.py --up-to $(if $(QUICK),1e3 --model-up-to 1e3,1e6)
	$(BIN)/python bench/anchors.py
	$(BIN)/python bench/calibration.py $(if $(QUICK),--splits 1 --draws 50)
	$(BIN)/python bench/languages.py
	$(BIN)/python bench/anchor_search.py $(if $(QUICK),trust,--all)
	$(BIN)/python bench/lint_bounds.py
	$(BIN)/python bench/lint_bounds.py --model all-MiniLM-L6-v2
	$(BIN)/python bench/floor.py
	$(BIN)/python bench/floor.py --model all-MiniLM-L6-v2
	$(BIN)/python bench/dont_know.py
	$(BIN)/python bench/dont_know.py --model all-MiniLM-L6-v2
	$(BIN)/python bench/emoji.py
	$(BIN)/python bench/coverage.py $(if $(QUICK),--draws 5)
	$(BIN)/python bench/correction.py $(if $(QUICK),--draws 5)
	$(BIN)/python bench/bootstrap.py $(if $(QUICK),--items 500 --replicates 500 --turns 1 --draws 20)
	$(BIN)/python bench/daily_gate.py $(if $(QUICK),--datasets 2 --days 10)
	$(BIN)/python bench/chat.py $(if $(QUICK),--calls 1000 --turns 1)
	$(BIN)/python bench/study.py $(if $(QUICK),--personas 20 --concepts 2 --latency 0.05)
	$(BIN)/python bench/decisions.py $(if $(QUICK),--decisions 100 --turns 1)
	$(BIN)/python bench/drift.py $(if $(QUICK),--items 50 --turns 1)
	$(BIN)/python bench/consistency.py --peer $(UQLM_VENV)/bin/python $(if $(QUICK),--turns 1 --prompts 20)
	$(BIN)/python bench/cluster.py $(if $(QUICK),--texts 400 --turns 1)
	$(BIN)/python bench/cluster_repeats.py $(if $(QUICK),--texts 400 --part-rows 100 --shares 0 0.5)
	$(BIN)/python bench/history.py $(if $(QUICK),--rows 20000 --turns 1)
	$(BIN)/python -m pip install --quiet --editable ".[serve]"
	$(BIN)/python bench/serving.py $(if $(QUICK),--seconds 2 --turns 1 --requests 2000)

# Looks for inputs that break a reader, SECONDS in all. It needs fork(), so not Windows; Atheris is for Linux alone.
fuzz: $(VENV)/developer
	$(BIN)/python -m pip install --quiet --group fuzz
	PYTHONPATH=tests/fuzz $(BIN)/python tests/fuzz/run.py $(SECONDS)

# How well each method of matching agrees with people, with the data of ../shared where they are.
bench-validity: $(VENV)/developer
	$(BIN)/python bench/fit_match.py --check
	$(BIN)/python bench/validity.py $(if $(QUICK),--replicates 20) $(if $(NLI),--nli $(NLI))
	$(BIN)/python bench/validity.py $(if $(QUICK),--replicates 20) --model e5-small
	$(BIN)/python bench/language_pairs.py
	$(BIN)/python bench/survey_coverage.py $(if $(QUICK),--draws 20 --villages 4)
	$(BIN)/python bench/study_coverage.py --draws $(if $(QUICK),3,200)
	$(BIN)/python bench/distance_coverage.py $(if $(QUICK),--draws 3)
	$(BIN)/python bench/driver_coverage.py $(if $(QUICK),--draws 20)
	$(BIN)/python bench/coding.py
	$(BIN)/python bench/coding_memory.py $(if $(QUICK),--rows 2000 8000)
	$(BIN)/python bench/readout.py --model e5-small --model all-MiniLM-L6-v2 $(if $(QUICK),--texts 100 --replicates 20)
	$(BIN)/python bench/ratings_validity.py $(if $(QUICK),--texts 50 --replicates 20)
	$(BIN)/python bench/guards.py
	$(BIN)/python bench/guard_pairs.py developed
	$(BIN)/python bench/guard_pairs.py unseen
	$(BIN)/python bench/guard_pairs.py feedback_developed
	$(BIN)/python bench/guard_pairs.py feedback_unseen
	$(BIN)/python bench/flips.py $(if $(NLI),--nli $(NLI))
	$(BIN)/python bench/snapshots.py $(if $(QUICK),--pairs 20)
	$(BIN)/python bench/drift_self_test.py $(if $(QUICK),--draws 5)
	$(BIN)/python bench/drift_german.py $(if $(QUICK),--draws 5)
	$(BIN)/python bench/drift_self_test.py --with-reruns --half 0 $(if $(QUICK),--draws 5)
	$(BIN)/python bench/drift_history.py $(if $(QUICK),--draws 5)
	$(BIN)/python bench/drift_history.py --half 0 $(if $(QUICK),--draws 5)
	$(BIN)/python bench/drift_nights.py $(if $(QUICK),--series 2)

# A wheel with the files of e5-small alone, in dist/, for a maintainer to publish on the package index.
weights-wheel: $(VENV)/installed
	$(BIN)/python release/weights_wheel.py e5-small dist

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/developer: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group dev --editable .
	@touch $@

$(BENCH_VENV)/installed: bench/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH_VENV)/bin/python -m pip install --quiet $(TORCH)
	$(BENCH_VENV)/bin/python -m pip install --quiet --requirement bench/requirements.txt
	@touch $@

$(UQLM_VENV)/installed: bench/requirements-uqlm.txt
	$(PYTHON) -m venv $(UQLM_VENV)
	$(UQLM_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(UQLM_VENV)/bin/python -m pip install --quiet $(TORCH)
	$(UQLM_VENV)/bin/python -m pip install --quiet --requirement bench/requirements-uqlm.txt
	@touch $@

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(UQLM_VENV) demo fuzz-findings
