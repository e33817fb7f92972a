# Every task a person or CI runs. `make` alone lists them. Needs Rust, Python >= 3.10 and make;
# everything else is put into .venv by pip, or into .cache by Maven (only the tests against real Kafka need it).

.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

VENV := .venv
# Frameworks bring the libraries that they are written for, in versions of their own: they have an environment of their
# own.
FRAMEWORKS := .cache/frameworks
# What suites of frameworks need: the frameworks that run as applications bring another confluent-kafka.
SUITES := .cache/framework-suites
# The original of a face whose today's release is another: only the tests that compare with it read this folder.
KAFKA_PYTHON_2 := .cache/kafka-python-2
# The release before, whose own tests are run on its face; it runs on no Python of today.
KAFKA_PYTHON_0_9 := .cache/kafka-python-0.9.5
BIN := $(VENV)/bin
PY := $(BIN)/python
# One interpreter for maturin and for plain cargo, so that neither rebuilds what the other built.
export PYO3_PYTHON := $(CURDIR)/$(PY)
# `make bench BENCH="--records 200000 --codecs zstd"`, `make test-python PYTEST="-k produce -x"`
REFUSALS ?=
PIPELINE ?=
STATES ?=
SUITE ?=
BENCH ?=
PYTEST ?=
# `make test-python` by hand tests the unoptimised build, which is there soon after a changed line of Rust; CI and all
# other targets have the optimised one, and BUILD=release or BUILD=quick chooses.
IN_CI := $(filter-out 0 false,$(CI))
BUILD ?= $(if $(IN_CI),release,$(if $(filter test-python,$(MAKECMDGOALS)),quick,release))
# `make test` builds once, and says BUILT=1 to the layers that run beside each other.
BUILT ?= 0
BUILDS := build-release build-quick
ifeq ($(filter build-$(BUILD),$(BUILDS)),)
$(error BUILD=$(BUILD): choose one of $(BUILDS:build-%=%))
endif
# Most tests wait for something: more processes than cores run beside each other. Measured on two cores, where two
# layers run at a time: with five each the Python layer takes 14 minutes, with eight 17. What PYTEST selects runs in one
# process.
CORES := $(shell getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
WORKERS ?= $(if $(PYTEST),0,$(shell echo $$(( $(CORES) * 5 / 2 > 16 ? 16 : $(CORES) * 5 / 2 ))))
RUN_TESTS = $(PY) scripts/run_tests.py --workers $(WORKERS)
# `make test` leaves what measures for the end, when all other layers are done. An unoptimised build measures nothing.
ROUND := $(if $(filter 1,$(BUILT))$(filter quick,$(BUILD)),--round together)
# A machine that CI shares with others stands still at times. A test that fails there gets one more try, when that may
# be over, and is listed as RERUN: that is a defect to look into, of the test or of the product.
RERUNS ?= $(if $(IN_CI),--reruns 1 --reruns-delay 10 -rR)
# `make test-kafka KAFKA_VERSION=2.8.2`; before 3.3 a ZooKeeper is started beside it.
KAFKA_VERSION ?= 4.3.1
OLD_KAFKA_VERSIONS := 3.9.1 2.8.2
# maturin lets pip speak, and pip tells of every package that is there already.
export PIP_QUIET := 1
# cargo is asked by several tools what it knows, and would tell each of what it downloads.
QUIETLY := CARGO_TERM_QUIET=true scripts/quietly.sh
# mkdocs-material announces its successor otherwise.
export NO_MKDOCS_2_WARNING := 1
FUZZ_SECONDS ?= 30

.PHONY: help
help:  ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z-]*:.*## / {printf "  \033[36m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- environment ------------------------------------------------------------------------------------------------

$(VENV)/.created:
	@scripts/make_venv.sh $(VENV)
	@touch $@

# One stamp per dependency group: pip runs again only when pyproject.toml changes.
$(VENV)/.group-%: $(VENV)/.created pyproject.toml
	@echo "installing the '$*' tools into $(VENV)"
	@$(PY) -m pip install --quiet --group $* || { \
	    echo "pip could not install the dependency group '$*' of pyproject.toml; is a package index reachable?" >&2; \
	    exit 1; }
	@touch $@

.PHONY: venv
venv: $(VENV)/.group-dev  ## Make .venv with the build, lint and test tools

# --- build and run ----------------------------------------------------------------------------------------------

.PHONY: build
build:  ## Build, importable as .venv/bin/python -c "import kafkars" (BUILD=release or quick)
build: $(if $(filter 1,$(BUILT)),,build-$(BUILD))

.PHONY: build-release
build-release: $(VENV)/.group-dev
	@$(QUIETLY) "building kafkars (optimised: some minutes the first time)" $(BIN)/maturin develop --release --quiet
	@$(PY) -c "import kafkars"

.PHONY: build-quick
build-quick: $(VENV)/.group-dev
	@$(QUIETLY) "building kafkars (not optimised)" $(BIN)/maturin develop --quiet
	@$(PY) -c "import kafkars"

.PHONY: build-dev
build-dev: build-quick  ## Unoptimised build: quick to compile, slow to run (BUILD=quick chooses it for any target)

.PHONY: demo
demo: build  ## Watch records flow through the embedded broker, sync and asyncio
	@$(PY) -m kafkars demo

# --- tests ------------------------------------------------------------------------------------------------------

.PHONY: test
test:  ## Everything: lint, Rust, Python, real Kafka; says at the end what was left out
test: $(VENV)/.group-dev $(VENV)/.group-peers $(VENV)/.group-docs $(VENV)/.group-wheel $(KAFKA_PYTHON_2)/.ready
	@$(PY) scripts/run_layers.py

.PHONY: test-rust
test-rust: $(VENV)/.created  ## Tests of the Rust crates
	@cargo test --workspace --locked

.PHONY: test-python
test-python:  ## Python tests on the embedded broker (PYTEST="-k name" for some)
test-python: build $(VENV)/.group-peers $(KAFKA_PYTHON_2)/.ready
	@$(RUN_TESTS) $(ROUND) -m "not kafka and not frameworks and not wheel" $(RERUNS) $(PYTEST)

.PHONY: test-alone
test-alone: build $(VENV)/.group-peers $(KAFKA_PYTHON_2)/.ready
	@$(RUN_TESTS) --round alone -m "not kafka and not frameworks and not wheel" $(RERUNS) $(PYTEST)

.PHONY: test-wheel
test-wheel:  ## The wheel in an empty environment of each Python that is declared (mvn for those not here)
test-wheel: $(VENV)/.group-dev $(VENV)/.group-wheel
	@$(PY) -m pytest -m wheel $(RERUNS) $(PYTEST)

.PHONY: test-frameworks
test-frameworks:  ## FastStream, Faust, Quix Streams, Bytewax, kq, OpenTelemetry and others on kafkars.compat
test-frameworks: build $(FRAMEWORKS)/.ready $(SUITES)/.ready
	@$(PY) -m pytest -m frameworks --kafka-version $(KAFKA_VERSION) $(RERUNS) $(PYTEST)

$(KAFKA_PYTHON_2)/.ready: $(VENV)/.created
	@echo "installing kafka-python 2.3.3 into $(KAFKA_PYTHON_2)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target $(KAFKA_PYTHON_2) \
	    kafka-python==2.3.3 || { \
	    echo "pip could not install kafka-python 2.3.3; is a package index reachable?" >&2; exit 1; }
	@touch $@

$(KAFKA_PYTHON_0_9)/.ready: $(VENV)/.created
	@echo "getting the sources of kafka-python 0.9.5 into $(KAFKA_PYTHON_0_9)"
	@mkdir -p $(KAFKA_PYTHON_0_9)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
	    --target $(KAFKA_PYTHON_0_9) six mock && \
	    $(PY) -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
	    --dest $(KAFKA_PYTHON_0_9) kafka-python==0.9.5 && \
	    tar xzf $(KAFKA_PYTHON_0_9)/kafka-python-0.9.5.tar.gz --strip-components 1 --directory $(KAFKA_PYTHON_0_9) || { \
	    echo "pip could not get kafka-python 0.9.5; is a package index reachable?" >&2; exit 1; }
	@touch $@

.PHONY: test-kafka-legacy
test-kafka-legacy: build $(KAFKA_PYTHON_0_9)/.ready  ## The tests of kafka-python 0.9.5 itself on its face: two minutes
	@$(PY) -m tests.compat.kafka_legacy.original_suite $(KAFKA_PYTHON_0_9) $(PYTEST)

$(FRAMEWORKS)/.ready: tests/frameworks/requirements.txt $(VENV)/.created
	@echo "installing frameworks into $(FRAMEWORKS)"
	@$(PY) -m venv $(FRAMEWORKS)
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check -r $< || { \
	    echo "pip could not install the frameworks of $<; is a package index reachable?" >&2; exit 1; }
	@touch $@

$(SUITES)/.ready: tests/frameworks/suites/requirements.txt $(VENV)/.created
	@echo "installing what suites of frameworks need into $(SUITES)"
	@$(PY) -m venv $(SUITES)/venv
	@$(SUITES)/venv/bin/python -m pip install --quiet --disable-pip-version-check -r $< || { \
	    echo "pip could not install $<; is a package index reachable?" >&2; exit 1; }
	@touch $@

.PHONY: framework-suites
framework-suites:  ## Test suites of frameworks themselves, passes on originals and faces (SUITE="--kafka 4.3.1 kombu")
framework-suites: build $(SUITES)/.ready
	@$(PY) -m tests.frameworks.suites $(SUITE)

.PHONY: test-kafka
test-kafka:  ## Python and interoperability tests on a real Apache Kafka (java, mvn)
test-kafka: build $(VENV)/.group-peers $(KAFKA_PYTHON_2)/.ready
	@$(RUN_TESTS) -m "kafka and not chaos and not frameworks and not spark" \
	    --kafka-version $(KAFKA_VERSION) $(RERUNS) $(PYTEST)

.PHONY: test-spark
test-spark:  ## kafkars.spark on a real Spark and Kafka, beside Spark's own connector (java, mvn)
test-spark: build $(VENV)/.group-peers $(VENV)/.group-spark
	@$(PY) -m pytest -m spark --durations=15 --kafka-version $(KAFKA_VERSION) $(RERUNS) $(PYTEST)

.PHONY: pipeline
pipeline:  ## A pipeline of clicks on Spark, compared with batch jobs (PIPELINE="--kills 3 --cluster")
pipeline: build $(VENV)/.group-peers $(VENV)/.group-spark
	@$(PY) examples/spark_pipeline/run.py $(PIPELINE)

.PHONY: test-chaos
test-chaos: build $(VENV)/.group-peers  ## Three real brokers are killed and cut off, a short while per load (java, mvn)
	@$(PY) -m pytest -m chaos --kafka-version $(KAFKA_VERSION) $(RERUNS) $(PYTEST)

.PHONY: chaos
chaos: build $(VENV)/.group-peers  ## The same in full: minutes per load (PYTEST="--chaos-seed 7" for other accidents)
	@$(PY) -m pytest -m chaos --chaos-long --kafka-version $(KAFKA_VERSION) --log-cli-level INFO $(PYTEST)

.PHONY: test-kafka-old
test-kafka-old: build $(VENV)/.group-peers  ## Behaviour of the clients on the oldest brokers that are supported
	@for version in $(OLD_KAFKA_VERSIONS); do \
	    echo "Kafka $$version"; \
	    $(RUN_TESTS) -m kafka --kafka-version $$version tests/behaviour tests/kafka \
	        tests/security/test_every_version.py $(RERUNS) $(PYTEST) || exit 1; \
	done

.PHONY: refusals
refusals: build  ## Every request of every client is refused, cut, late, unanswered (REFUSALS="--rates Fetch" for some)
	@$(PY) -m tests.refusals $(REFUSALS)

# `make security-matrix MATRIX="--sites 4.3.1 --short"`, `MATRIX="GSSAPI hangs"` for some cells, or
# `MATRIX="--short --write docs/reference/security-matrix.md"` for the page.
MATRIX ?=

.PHONY: security-matrix
security-matrix:  ## Ways to be let in x faults x releases of Kafka x calls, as a table (MATRIX="--sites 4.3.1 --short")
security-matrix: build $(VENV)/.group-peers
	@$(PY) -m tests.security.matrix $(MATRIX)

SEEDS ?= 5000
SPARK_SEEDS ?= 10
SPARK_KILLS := $(addprefix tests/spark/test_,kills.py standalone.py example.py)

.PHONY: soak
soak:  ## Seeded histories of the core in number (SEEDS=5000), kills of Spark (SPARK_SEEDS=10)
soak: build $(VENV)/.group-peers $(VENV)/.group-spark
	@KAFKARS_SEEDS=$(SEEDS) cargo test --release --locked -p kafkars-core \
	    --test simulation --test group_histories --test reading
	@for seed in $$(seq $(SPARK_SEEDS)); do \
	    $(PY) -m pytest $(SPARK_KILLS) --chaos-long --chaos-seed $$seed --kafka-version $(KAFKA_VERSION) || exit 1; \
	done

# --- lint -------------------------------------------------------------------------------------------------------

.PHONY: lint
lint:  ## Formatting, clippy, rustdoc, ruff, mypy, pyright, stubtest, layers, docs, generated code
lint: lint-rust lint-python lint-generated

.PHONY: lint-rust
lint-rust: $(VENV)/.created
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	@RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	@scripts/check_deny.sh

.PHONY: lint-python
lint-python: build $(VENV)/.group-peers $(VENV)/.group-docs
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "run 'make format'" >&2; exit 1; }
	@$(BIN)/mypy
	@MYPYPATH=python $(BIN)/stubtest kafkars._kafkars --mypy-config-file pyproject.toml \
	    --allowlist tests/typing/stubtest_allowlist.txt
	@$(BIN)/basedpyright --project pyproject.toml --warnings
	@$(BIN)/basedpyright --project pyright-tests.json --warnings
	@$(PY) scripts/check_layers.py
	@$(PY) scripts/check_licenses.py
	@$(PY) scripts/check_notices.py
	@$(PY) scripts/check_tests.py
	@$(PY) scripts/check_circles.py
	@$(PY) scripts/check_names.py
	@$(PY) scripts/check_architecture.py
	@$(PY) scripts/check_twins.py
	@$(PY) scripts/check_columns.py
	@$(PY) scripts/check_stub_docs.py
	@$(BIN)/mkdocs build --strict --quiet --site-dir .cache/site
	@$(PY) scripts/check_reference.py .cache/site

.PHONY: lint-generated
lint-generated: $(VENV)/.created
	@$(PY) scripts/check_generated.py

.PHONY: generate
generate: $(VENV)/.created  ## Write the wire messages anew from Kafka's own schemas (mvn)
	@$(PY) scripts/check_generated.py --write

.PHONY: generate-twins
generate-twins: $(VENV)/.created  ## Make the synchronous clients of the asyncio ones
	@$(PY) scripts/check_twins.py --write

.PHONY: notices
notices: $(VENV)/.created  ## Write the notices of the crates within the native module, after Cargo.lock has changed
	@$(PY) scripts/check_notices.py --write

.PHONY: generate-stub-docs
generate-stub-docs: build  ## Put what the native module says of its methods into the stub
	@$(PY) scripts/check_stub_docs.py --write

.PHONY: format
format: $(VENV)/.group-dev  ## Format Rust and Python
	@$(PY) scripts/check_columns.py --write || true
	@cargo fmt --all
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

.PHONY: face-calls
face-calls:  ## Every call of the faces in all states, beside the originals (STATES="confluent_kafka fatal" for some)
face-calls: build $(VENV)/.group-peers $(KAFKA_PYTHON_2)/.ready
	@$(if $(STATES),$(PY) -m tests.compat.differential $(STATES),\
	for library in confluent_kafka confluent_kafka_asyncio aiokafka kafka_python; do \
	    echo "$$library:"; $(PY) -m tests.compat.differential $$library || exit 1; \
	done)

.PHONY: original-suites
original-suites:  ## Suites of kafka-python 2.0, 2.3 and 3.0 and of frameworks on the faces, beside the originals
original-suites: build $(VENV)/.group-peers framework-suites
	@$(PY) -m pip install --quiet --disable-pip-version-check pytest-mock
	@$(PY) scripts/original_suites.py

PROGRAMS ?= 1 200

.PHONY: face-programs
face-programs:  ## Random programs on aiokafka and its face (PROGRAMS="FIRST_SEED COUNT [KIND...]")
face-programs: build $(VENV)/.group-peers
	@$(PY) -m tests.compat.differential.aiokafka_programs $(PROGRAMS)

# --- measure, fuzz ----------------------------------------------------------------------------------------------

.PHONY: bench
bench:  ## Side by side with confluent-kafka, aiokafka, kafka-python (BENCH="--faces", "--tls", "--help")
bench: build $(VENV)/.group-bench
	@$(PY) -m benches.compare $(BENCH)

.PHONY: bench-smoke
bench-smoke: build $(VENV)/.group-bench  ## The same in seconds: shows that it works, measures nothing
	@$(PY) -m benches.compare --smoke $(BENCH)
	@$(PY) -m benches.compare --smoke --faces $(BENCH)
	@$(PY) -m benches.compare --smoke --tls $(BENCH)

.PHONY: bench-groups
bench-groups: build  ## What a group costs a reader: rate, idling, the pause of a rebalance (BENCH="--help")
	@$(PY) -m benches.python.groups $(BENCH)

.PHONY: bench-producing
bench-producing:  ## What idempotence, transactions and many topics cost, and how long a commit takes
bench-producing: build $(VENV)/.group-bench
	@$(PY) -m benches.python.producing $(BENCH)

.PHONY: bench-spark
bench-spark:  ## kafkars.spark beside Spark's own connector (BENCH="--ops aggregate --rounds 1")
bench-spark: build $(VENV)/.group-bench $(VENV)/.group-spark
	@$(PY) -m benches.spark $(BENCH)

.PHONY: bench-embedded
bench-embedded:  ## Figures of the embedded broker: start, throughput beside Kafka, memory, APIs (BENCH="--help")
bench-embedded: build $(VENV)/.group-bench
	@$(PY) -m benches.embedded $(BENCH)

.PHONY: fuzz
fuzz: $(VENV)/.created  ## Every fuzz target for FUZZ_SECONDS each (needs cargo-fuzz)
	@scripts/fuzz.sh $(FUZZ_SECONDS)

# --- docs -------------------------------------------------------------------------------------------------------

.PHONY: docs
docs: $(VENV)/.group-docs  ## Build the documentation into site/
	@$(BIN)/mkdocs build --strict --quiet

.PHONY: docs-serve
docs-serve: $(VENV)/.group-docs  ## Serve the documentation on 127.0.0.1:8000
	@$(BIN)/mkdocs serve

.PHONY: clean
clean:  ## Remove everything the other targets made, downloads included
	@rm -rf target site .cache $(VENV) benches/compare/out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find python tests benches scripts -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -f python/kafkars/_kafkars*.so
