# Two commands do everything on a fresh machine with Python 3.11 and make: `make demo`, `make test`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Real benchmark data, where it is at hand; without it, the tests that need it are skipped.
ifndef MICROAGG_DATA
ifneq ($(wildcard ../shared/data/census.csv),)
export MICROAGG_DATA := $(abspath ../shared/data)
endif
endif

# Bytecode is kept, whatever the environment says: tests and commands start many processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-slow test-all test-python lint format reproduce bench docs site clean

help:
	@echo "make demo       protect real records; says where the release is and what to try next"
	@echo "make test       run the tests that are quick"
	@echo "make test-slow  run what make test leaves out: statistics, large files, a browser, attacks"
	@echo "make test-all   run both at once; ATTACKS=0.5 runs half of the attacks, which take longest"
	@echo "make test-python PYTHON=python3.13   run a part of the tests with another Python;"
	@echo "                RESOLUTION=lowest-direct installs the oldest dependencies that are allowed"
	@echo "make lint       check style and types"
	@echo "make reproduce  compute the printed figures of the papers again"
	@echo "make bench      measure speed, side by side with named peers"
	@echo "make docs       write again the parts of the documentation that come from the code"
	@echo "make site       build the site with its notebooks, and open it in a browser to check it"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		(echo "Python 3.11 or newer is needed; give one with make PYTHON=/path/to/python3.11" && exit 1)
	$(PYTHON) -m venv $(VENV)
	@# uv installs in parallel, which takes a tenth of the time; where it fails, pip does the same.
	{ $(BIN)/python -m pip install --quiet uv && \
		UV_NATIVE_TLS=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[dev]'; } || \
		$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/microagg warm auto
	@$(BIN)/microagg demo --folder demo
	@echo "The commands above are in $(BIN); 'source $(BIN)/activate' puts them on the path."

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# All kernels are compiled once, ahead and in parallel.
test: $(READY)
	@$(BIN)/microagg warm --all > /dev/null
	$(PYTEST) -m 'not slow and not exhaustive'

# The attacks of tests/hostile take longest; ATTACKS=0.5 runs half of each, and ATTACKS=0 none.
ATTACKS ?= 1
THOROUGH := MICROAGG_EXAMPLES=1 MICROAGG_ATTACKS=$(ATTACKS) $(PYTEST)

test-slow: $(READY)
	@$(BIN)/microagg warm --all > /dev/null
	$(THOROUGH) -m 'slow or exhaustive or hypothesis'

# Everything in one run: test and test-slow would collect all tests twice, and draw many examples again.
test-all: $(READY)
	@$(BIN)/microagg warm --all > /dev/null
	$(THOROUGH)

# The package in an environment of its own, with another Python or with the oldest dependencies. Old
# libraries issue warnings of their own, so warnings are errors with the newest ones only.
RESOLUTION ?= highest
OTHER = .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')-$(RESOLUTION)
PARTS := tests/test_layers.py tests/test_lazy.py tests/test_protect.py tests/test_estimator.py \
	tests/cli/test_protect.py \
	'tests/golden/test_golden.py::test_as_in_the_last_version[tarragona mdav k=5 seed=0]'

test-python:
	$(PYTHON) -m venv --clear $(OTHER)
	$(OTHER)/bin/python -m pip install --quiet uv
	UV_SYSTEM_CERTS=1 $(OTHER)/bin/uv pip install --quiet --resolution $(RESOLUTION) \
		--python $(OTHER)/bin/python --group test '.[all]'
	$(OTHER)/bin/python -m pytest --timeout 600 $(if $(filter highest,$(RESOLUTION)),,-W default) \
		-m 'not slow and not exhaustive' $(PARTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reproduce: $(READY)
	$(BIN)/python -m benchmarks.reproduce --keep .reproduce.json --output docs/reproduction.md

bench: $(READY)
	$(BIN)/python -m benchmarks.speed.mdav

docs: $(READY)
	$(BIN)/python docs/build.py

SITE := docs/_build/html

site: $(READY)
	{ UV_SYSTEM_CERTS=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --group docs; } || \
		{ $(BIN)/python -m pip install --quiet --upgrade pip && $(BIN)/python -m pip install --quiet --group docs; }
	$(BIN)/python docs/build.py
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --builder html docs $(SITE)
	MICROAGG_SITE=$(abspath $(SITE)) $(BIN)/python -m pytest tests/test_site.py
	@echo "The site is in $(SITE)/index.html"

clean:
	rm -rf $(VENV) .venv-* demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
