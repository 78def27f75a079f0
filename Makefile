# What one needs daily. Each target installs what it lacks first (tools/setup.sh, quick when there
# is nothing to do); CMakePresets.json has the builds themselves.

JOBS ?= $(shell nproc)
PYTHON := build/venv/bin/python
# 77: torch is not there, which the script has said.
SIMULATOR := tools/simulator.sh --jobs $(JOBS) || [ $$? = 77 ]

.PHONY: help build simulator demo test check-long bench fuzz format lint setup-build setup-demo setup-test setup-bench setup-long clean

help:
	@echo "make build       build/bin/accelport, and the simulated card if torch is there"
	@echo "make simulator   the simulated card; installs torch (200 MB) first"
	@echo "make demo        audits the examples, ports one, proves it and trains both"
	@echo "make test        every check of CI; ends with 'N passed, N failed'"
	@echo "make check-long  what takes longer: fuzzing, thread sanitizer, large corpora"
	@echo "make fuzz        all fuzz targets, SECONDS=60 each"
	@echo "make bench       measurements on public sources (fetched once, 450 MB), or on CORPUS=FOLDER"
	@echo "make format      rewrites C++ and Python sources in the one style"
	@echo "make lint        clang-tidy and ruff"

setup-build:
	@tools/setup.sh build

setup-demo:
	@tools/setup.sh build --torch

setup-test:
	@tools/setup.sh test

setup-bench:
	@tools/setup.sh bench

setup-long:
	@tools/setup.sh long

build: setup-build
	@mkdir -p build
	@cmake --preset release -DACCELPORT_TESTS=OFF >build/configure.log || \
	  { cat build/configure.log; exit 1; }
	@cmake --build --preset release --parallel $(JOBS) --target accelport
	@mkdir -p build/bin && ln -sf ../release/bin/accelport build/bin/accelport
	@$(SIMULATOR)

simulator: setup-demo
	@$(SIMULATOR)

demo: setup-demo build
	@tools/demo.sh

test: setup-test
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS)

check-long: setup-long
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --long

SECONDS ?= 60
fuzz: setup-test
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --only fuzz --fuzz-seconds $(SECONDS)

CORPUS ?=
bench: setup-bench build
	@ACCELPORT_CORPUS=$${ACCELPORT_CORPUS:-$(CORPUS)} bench/run.sh

format: setup-test
	@git ls-files -co --exclude-standard -- 'src/*.cc' 'src/*.h' 'runtime/*.cc' 'runtime/*.h' 'fuzz/*.cc' 'bench/*.cc' \
	  'tests/*.cc' 'tests/*.h' | grep -v '^tests/.*/' | xargs -r clang-format-14 -i
	@build/venv/bin/ruff format --quiet && build/venv/bin/ruff check --fix --quiet

lint: setup-test
	@build/venv/bin/ruff check
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --only lint

clean:
	rm -rf build
