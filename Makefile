# Every command the README names. All of them use the virtual environment in $(VENV), made when first needed.

PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= build/bench-venv
BIN := $(VENV)/bin
BENCH := $(BENCH_VENV)/bin
RUNS ?= runs
OUT := $(RUNS)/demo
OLDEST_GYMNASIUM := 1.2.2
JOBS ?= 1
TESTS ?= tests

.DEFAULT_GOAL := help
.PHONY: help install demo demo-results lint types test-all test-unchecked test test-plain test-oldest \
    test-package test-package-here check check-long docs golden bench bench-results bench-learning bench-seats \
    bench-trap bench-sb3 pretrained exact-results clean

help:
	@echo "make install     virtual environment in $(VENV) with everything (Python 3.11 or newer as PYTHON=...)"
	@echo "make demo        train a player and a banker, judge them, report in $(OUT)"
	@echo "make demo-results  the same, and its figures into the documentation"
	@echo "make test        lint, types, tests (TESTS=tests/rules: some of them)"
	@echo "make check       make test, then those of the kernels without the compiler (coverage), some on gymnasium"
	@echo "                 $(OLDEST_GYMNASIUM), and the package as users install it; what each stage costs"
	@echo "make test-package  wheel and source archive installed for every Python here that is supported, all extras"
	@echo "make check-long  long comparisons: rounds and lines of play with the reference, 50 million rounds"
	@echo "make bench       speed beside other environments, in a virtual environment of its own, $(BENCH_VENV)"
	@echo "make bench-results  the same, and its figures into benchmarks/results and the documentation"
	@echo "make bench-learning  every learner on the same tasks, hours; goes on where it was stopped (JOBS=1 at once)"
	@echo "make bench-seats  a banker and a player trained at a table of five seats, beside rules of thumb"
	@echo "make bench-trap  how likely a policy is to buy on 11 while it learns (JOBS=1 at once)"
	@echo "make pretrained  train the policies that are shipped, and replace them"
	@echo "make bench-sb3   the share of training that the environment takes"
	@echo "make exact-results  exact figures and what they cost, into benchmarks/results and the documentation"
	@echo "make docs        rewrite the generated parts of the documentation"
	@echo "make golden      rewrite the transcripts of tests/golden, to be read before they are committed"
	@echo "make clean       remove $(VENV) and caches"

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

install: $(VENV)/installed

demo: $(VENV)/installed
	$(BIN)/python train.py player --steps 2000000 --seed 1 --banker stand17 --out $(OUT)/player
	$(BIN)/python train.py banker --steps 1000000 --seed 1 --players thumb --out $(OUT)/banker
	@echo; echo "The player against the rules of thumb:"
	$(BIN)/python evaluate.py match --player thumb stick15 random $(OUT)/player --banker stand17 --seed 7 \
	    --out $(OUT)/report/player
	@echo; echo "The banker against the rules of thumb:"
	$(BIN)/python evaluate.py match --judge banker --player thumb --banker stand17 stand16 chase random $(OUT)/banker \
	    --seed 7 --out $(OUT)/report/banker
	@echo; echo "Reports: $(OUT)/report. Policies: $(OUT)/player, $(OUT)/banker."

demo-results: demo
	mkdir -p benchmarks/demo
	cp -r $(OUT)/report/player $(OUT)/report/banker benchmarks/demo/
	$(BIN)/python docs/generate.py

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed
	$(BIN)/mypy

# Bounds checking changes nothing but that a fault is seen.
test-all: $(VENV)/installed
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pontoon_gym.compile
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n 2 --durations=20 $(TESTS)

# Compiled as users have it: the same transcripts.
test-unchecked: $(VENV)/installed
	$(BIN)/pytest tests/test_golden.py

test: lint types test-all test-unchecked

# What of the kernels no test runs shows only where they are not compiled.
PLAIN := tests/rules $(addprefix tests/solver/test_,tiny.py perft.py judge.py) \
    $(addprefix tests/envs/test_,states.py vector.py hidden.py rounds.py) \
    $(addprefix tests/test_,compiled.py golden.py hashing.py records.py reference.py widest.py words.py)

test-plain: $(VENV)/installed
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --cov=pontoon_gym/engine --cov=pontoon_gym/solver --cov-report=term \
	    --cov-fail-under=95 $(PLAIN)

test-oldest: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/oldest \
	    gymnasium==$(OLDEST_GYMNASIUM)
	PYTHONPATH=build/oldest $(BIN)/python -c \
	    "import gymnasium; assert gymnasium.__version__ == '$(OLDEST_GYMNASIUM)', gymnasium.__version__"
	NUMBA_BOUNDSCHECK=1 PYTHONPATH=build/oldest $(BIN)/pytest -n 2 tests/envs/test_check_env.py tests/envs/test_vector.py \
	    tests/envs/test_doors.py tests/agents/test_bridge.py

test-package: $(VENV)/installed
	$(BIN)/pytest -rs -m package tests/packaging

# Under a minute: the running Python and the wheel alone, which is built from the source archive.
test-package-here: $(VENV)/installed
	$(BIN)/pytest -m package -k "running and not extra and not source" tests/packaging

# Every stage in turn, and what each cost.
STAGES := lint types test-all test-unchecked test-plain test-oldest test-package-here
check: $(VENV)/installed
	@costs=""; for stage in $(STAGES); do \
	    start=$$(date +%s); $(MAKE) --no-print-directory $$stage || exit 1; \
	    costs="$$costs  $$stage $$(( $$(date +%s) - start )) s\n"; \
	done; printf "seconds of each stage:\n$$costs"

check-long: $(VENV)/installed
	PONTOON_LONG=1 $(BIN)/pytest -n 2 tests/test_reference.py tests/solver

docs: $(VENV)/installed
	$(BIN)/python docs/generate.py

golden: $(VENV)/installed
	$(BIN)/python -m tests.golden

$(BENCH_VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	touch $@

bench: $(BENCH_VENV)/installed
	$(BENCH)/python -m benchmarks.speed $(FLAGS)

bench-results: $(BENCH_VENV)/installed $(VENV)/installed
	$(BENCH)/python -m benchmarks.speed --json benchmarks/results/speed.json
	$(BENCH)/python -m benchmarks.speed.figure
	$(BIN)/python docs/generate.py

exact-results: demo
	$(BIN)/python -m benchmarks.exact --demo $(OUT) --json benchmarks/results/exact.json
	$(BIN)/python docs/generate.py

bench-learning: $(VENV)/installed
	$(BIN)/python -m benchmarks.learning --jobs $(JOBS) --json benchmarks/results/learning.json \
	    --figure docs/learning.png $(FLAGS)
	$(BIN)/python docs/generate.py

SEATS := $(RUNS)/seats

bench-seats: $(VENV)/installed
	$(BIN)/python train.py banker --seats 5 --players thumb --rounds 1000000 --seed 1 --out $(SEATS)/banker
	$(BIN)/python train.py player --seats 5 --banker stand17 --rounds 2000000 --seed 1 --out $(SEATS)/player
	$(BIN)/python evaluate.py match --seats 5 --judge banker --player thumb --banker stand17 $(SEATS)/banker \
	    --rounds 2000000 --seed 7 --out benchmarks/results/seats/banker
	$(BIN)/python evaluate.py match --seats 5 --player thumb $(SEATS)/player --banker stand17 --others thumb \
	    --rounds 2000000 --seed 7 --out benchmarks/results/seats/player
	$(BIN)/python docs/generate.py

bench-trap: $(VENV)/installed
	$(BIN)/python -m benchmarks.learning.trap --jobs $(JOBS) --json benchmarks/results/trap.json
	$(BIN)/python docs/generate.py

SHIPPED := $(RUNS)/shipped
ship-%-player: $(VENV)/installed
	$(BIN)/python train.py player --algo $(ALGO) --rules $* --rounds $(ROUNDS) --seed 11 \
	    --out $(SHIPPED)/$*-player
	$(BIN)/python -m agents.training.publish $(SHIPPED)/$*-player $*-player --replace
ship-%-banker: $(VENV)/installed
	$(BIN)/python train.py banker --algo dqn --rules $* --players stick15 --rounds 15000000 --seed 11 \
	    --out $(SHIPPED)/$*-banker
	$(BIN)/python -m agents.training.publish $(SHIPPED)/$*-banker $*-banker --replace

ALGO := maskable_ppo
ROUNDS := 9000000

pretrained: $(VENV)/installed ship-home-player ship-british-player ship-casino6-player ship-casino8-player \
    ship-home-banker ship-british-banker
	$(BIN)/python docs/generate.py

bench-sb3: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed.sb3 $(FLAGS)

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache
