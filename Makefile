# make demo, make test, make check, make docs, make bench: the commands to learn. CI runs make test-all, too.
# make app builds the folder for users without Python.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
UQLM_VENV := .uqlm-venv
DOCS_VENV := .docs-venv
RELEASE_VENV := .release-venv
LOWEST_VENV := .lowest-venv
BIN := $(VENV)/bin
RELEASE := $(RELEASE_VENV)/bin
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

.PHONY: demo test test-all faults check docs settings bench bench-validity fuzz weights-wheel release app test-lowest clean

demo: $(VENV)/installed
	@mkdir -p demo
	$(BIN)/semscale rate examples/product_reviews.csv --text text --scale quality --respondent review \
	  --human human_ratings --human-range -4 4 --out demo/ratings.csv --report demo/report.html

test: $(VENV)/developer
	$(ONE_THREAD) $(BIN)/$(PYTEST) -m "not exhaustive"

# What `make test` leaves out: kills, fuzzing, coverage of intervals, and the extras that are not in the developers' environment.
# Ray has one cluster for all its tests, so they share one process. PyTorch has an environment of its own.
test-all: $(VENV)/developer $(BENCH_VENV)/installed
	$(BIN)/python -m pip install --quiet --group browser --group cloud --group tutorials
	$(BIN)/python -m pip install --quiet --group serve --editable ".[inspect,local,ray,serve]"
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

# The documentation site, in site/, with llms.txt. A broken link or an unknown reference stops it.
docs: $(DOCS_VENV)/installed
	$(DOCS_VENV)/bin/python release/tutorials.py pages
	$(DOCS_VENV)/bin/zensical build --strict --clean
	$(DOCS_VENV)/bin/python release/llms_txt.py site

# docs/settings.md, after a change of an option.
settings: $(VENV)/installed
	$(BIN)/python release/settings_page.py

# Speed and memory beside other libraries. QUICK=1 has small sizes, two scripts at a time: it shows that all of them work, without figures,
# and leaves out uqlm, whose environment nothing else needs.
bench: $(VENV)/developer $(BENCH_VENV)/installed $(if $(QUICK),,$(UQLM_VENV)/installed)
	$(BIN)/python -m pip install --quiet --editable ".[ray,serve]"
	$(BIN)/python bench/run.py speed $(if $(QUICK),--quick)

# Looks for inputs that break a reader, SECONDS in all. It needs fork(), so not Windows; Atheris is for Linux alone.
fuzz: $(VENV)/developer
	$(BIN)/python -m pip install --quiet --group fuzz
	$(BIN)/python -m tests.fuzz.run $(SECONDS)

# Agreement with people, and intervals and gates on data whose truth is known; with the data of ../shared where they are.
bench-validity: $(VENV)/developer
	$(BIN)/python bench/run.py validity $(if $(QUICK),--quick) $(if $(NLI),--nli $(NLI))

# A wheel with the files of e5-small alone, in dist/, for a maintainer to publish on the package index.
weights-wheel: $(VENV)/installed
	$(BIN)/python release/weights_wheel.py e5-small dist

# What is published, in dist/: sdist, wheel, the weights' wheel and the list of what a new environment contains (CycloneDX).
# The wheel is then tried in a new environment of each Python that is here. Nothing is uploaded.
release: $(RELEASE_VENV)/installed $(VENV)/installed
	rm -rf dist build
	$(RELEASE)/zizmor --offline --quiet .github action.yml examples/drift/github-workflow.yml
	$(RELEASE)/python -m build --outdir dist
	$(MAKE) --no-print-directory weights-wheel
	$(RELEASE)/twine check --strict dist/*
	$(RELEASE)/check-wheel-contents dist/*.whl
	$(RELEASE)/uv venv --quiet build/environment
	$(RELEASE)/uv pip install --quiet --python build/environment dist/semscale-*.whl
	rm build/environment/lib/*/site-packages/semscale-*.dist-info/direct_url.json # the wheel's path on this machine
	$(RELEASE)/cyclonedx-py environment --output-reproducible --output-file dist/semscale.cdx.json build/environment
	$(RELEASE)/python release/smoke_test.py dist

# The folder for users without Python, for this system, in build/app; it is then started in an empty home.
# uv downloads the Python inside, unless INSIDE names one that can be moved.
app: $(RELEASE_VENV)/installed
	rm -rf build/app/wheels
	$(RELEASE)/python -m build --wheel --outdir build/app/wheels
	$(RELEASE)/python release/app_folder.py build/app/wheels --out build/app $(if $(INSIDE),--python $(INSIDE))
	$(RELEASE)/python release/try_app.py build/app/Semscale

# The lowest versions that pyproject.toml names, without large extras. LOWEST= runs all tests of `make test`.
LOWEST ?= tests/store/readers tests/store/test_expressions.py tests/store/test_writing.py tests/embedding/test_file_embedding.py tests/guards/test_numbers.py
test-lowest: $(RELEASE_VENV)/installed
	$(RELEASE)/uv venv --quiet --clear --python 3.11 $(LOWEST_VENV)
	$(RELEASE)/uv pip install --quiet --python $(LOWEST_VENV) --resolution lowest-direct --group dev \
	  --editable ".[api,cloud,mcp,postgres,serve,slides,spss]"
	$(ONE_THREAD) $(LOWEST_VENV)/bin/$(PYTEST) -m "not exhaustive" $(LOWEST)

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/developer: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group dev --editable .
	@touch $@

$(DOCS_VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS_VENV)/bin/python -m pip install --quiet --group docs
	@touch $@

$(RELEASE_VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE)/python -m pip install --quiet --upgrade pip
	$(RELEASE)/python -m pip install --quiet --group release
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
	rm -rf $(VENV) $(BENCH_VENV) $(UQLM_VENV) $(DOCS_VENV) $(RELEASE_VENV) $(LOWEST_VENV) build demo dist fuzz-findings site
