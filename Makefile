# Nocturne: `make help` lists what can be asked. Needs python3 >= 3.11 on PATH, nothing else.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
TOOLS := $(VENV)/tools
TOOLED := $(TOOLS)/.installed
LOCKS := dependencies/locks
# Another build of PyTorch than those of dependencies/locks/torch.txt: a file of your own, with its hashes.
TORCH_LOCK ?= $(LOCKS)/torch.txt
# pip prefers a file whose address tells its hash: it would pass over a CPU build in a folder. So PyTorch is fetched as
# pip chooses it, and checked before it is installed.
TORCH = $(shell sed -n 's/^\(torch==[^ ]*\).*/\1/p' $(TORCH_LOCK))
DEMO = $(BIN)/python -m demo
ARGS ?=
# Packages of Debian whose programs some tests run; without one these are skipped, and name it.
DEBIAN := chromium faketime gcc libreoffice-calc libreoffice-writer mariadb-server postgresql redis-server shellcheck tesseract-ocr-fra
# Test processes; each starts a PostgreSQL of its own. One more than two cores: half of the slow tests' time is waiting.
WORKERS ?= 3
SPREAD = -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# pip speaks on stderr of things that do not matter; its words are shown only when it fails.
define pip
	@log=$$(mktemp); \
	if ! $(2)/python -m pip $(1) --quiet --no-input --disable-pip-version-check --progress-bar off >"$$log" 2>&1; then \
	  grep -v '^WARNING' "$$log" | tail -n 30 >&2; rm -f "$$log"; \
	  echo "make: the installation failed; the lines above say why. Run the same command again once mended." >&2; \
	  exit 1; \
	fi; \
	rm -f "$$log"
endef

# Only files that the locks name by their hash are installed, and nothing is built but this checkout's two distributions,
# in their places: the command line finds the laboratory by its entry point.
pip_install = $(call pip,install --require-hashes --no-deps --only-binary :all: $(1),$(2))

.PHONY: help
help: ## this list
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | while IFS= read -r line; do \
	  printf '  make %-8s %s\n' "$${line%%:*}" "$${line#*## }"; done

.PHONY: environment
environment: $(DEV) ## the environment of the other commands, which make it where it lacks; names Debian's packages that tests miss
	@command -v dpkg-query >/dev/null || exit 0; \
	lacking=$$(for one in $(DEBIAN); do \
	  dpkg-query --show --showformat '$${db:Status-Status}\n' $$one $$one-nogui "$$one-[0-9]*" 2>/dev/null | grep -qx installed || printf ' %s' $$one; \
	done); \
	if [ -n "$$lacking" ]; then echo "Environment: some tests are skipped here. On Debian: apt install$$lacking"; fi

.PHONY: demo
demo: $(RUN) ## thirty nights of a synthetic hospital, end to end; run it again and it finds nothing new
	@$(DEMO) run $(ARGS)

.PHONY: up
up: $(RUN) ## start PostgreSQL and Airflow, and leave them running
	@$(DEMO) up $(ARGS)

.PHONY: down
down: ## stop what `demo` or `up` left running
	@if [ -e $(RUN) ]; then $(DEMO) down; else echo "Nothing runs: there is no environment."; fi

.PHONY: status
status: $(RUN) ## what runs, and where
	@$(DEMO) status

.PHONY: reset
reset: ## stop, and remove what the demo wrote; keep the environment
	@if [ -e $(RUN) ]; then $(DEMO) clean; fi

.PHONY: clean
clean: reset ## stop, and remove all that make made here, the environment too
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "Removed."

.PHONY: drill
drill: $(DEV) ## kill Airflow with SIGKILL in the middle of a night, start again, compare what is published
	@$(BIN)/python -m pytest tests/dags/test_service.py $(ARGS)

.PHONY: faults
faults: $(RUN) ## benchmarks/faults.md: 200 nights under seeded faults, each compared with the night without (an hour and a half)
	@$(BIN)/python -m benchmarks.faults --write $(ARGS)

# Tests start hundreds of processes, each of which would compile the product anew.
test test-% verdict: export PYTHONDONTWRITEBYTECODE :=
# Texts are UTF-8 whatever the locale of the machine.
test test-% verdict: export PYTHONUTF8 := 1

.PHONY: test
test: $(DEV) ## every test (ARGS="-k dates" for some)
	@$(BIN)/python -m pytest $(SPREAD) $(ARGS)

test-%: $(DEV) ## the tests of one folder, `make test-unit`; `ARGS='-m "not slow"'` leaves the slow ones out
	@$(BIN)/python -m pytest tests/$(subst -,_,$*) $(SPREAD) $(ARGS)

.PHONY: verdict
verdict: $(DEV) ## every test as in `.ci/run`: one or two that fail are run once more, alone
	@$(BIN)/python -m tests.verdict $(SPREAD) $(ARGS)

.PHONY: image-test
image-test: ## build the image, and run Airflow and a detection in it, where docker or podman answers; nothing elsewhere
	@engine=$$(for one in docker podman; do "$$one" info >/dev/null 2>&1 && echo "$$one" && break; done) || { \
	  echo "image-test: no container engine answers here; the image was not built."; exit 0; }; set -e; \
	run=("$$engine" run --rm --interactive --network none --read-only --tmpfs /tmp --tmpfs /opt/airflow); \
	"$$engine" build --quiet --file docker/Dockerfile --tag nocturne:test .; \
	"$${run[@]}" nocturne:test version; \
	echo '{"id": "1", "text": "Vu ce jour Mme Anne MARTIN."}' | "$${run[@]}" nocturne:test deid detect -

.PHONY: fuzz
fuzz: $(DEV) ## the property tests of the file formats with other examples each time (ARGS="tests/unit" for others)
	@HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest $(or $(ARGS),tests/unit/formats) -n $(WORKERS)

.PHONY: coverage
coverage: $(DEV) ## branch coverage by package in the last `make verdict`; fails below benchmarks/coverage.json (ARGS=--record raises it)
	@$(BIN)/python -m benchmarks.coverage_by_package $(ARGS)

.PHONY: check
check: $(DEV) ## lint (Python and SQL), format, types, import contracts; changes nothing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports --no-logo
	@$(BIN)/sqlfluff lint sql

.PHONY: fix
fix: $(DEV) ## let the linter mend what it can, and format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: lock
lock: $(DEV) $(TOOLED) ## write constraints.txt and docker/constraints.txt from the environment, and dependencies/locks
	@{ echo '# Written by `make lock`: the set that the tests ran with, without CUDA wheels. Hashes: dependencies/locks.'; \
	   $(BIN)/python -m pip freeze --all --exclude-editable | sed -E 's/^(torch==[0-9.]+)\+.*/\1/' | \
	     grep -viE '^(nvidia|cuda|triton|pip=|wheel=)'; \
	 } > constraints.txt
	@report=$$(mktemp); $(BIN)/python -m pip install --dry-run --quiet --report "$$report" \
	   -r requirements.txt -r lab/requirements.txt -r docker/requirements.txt -c constraints.txt 2>/dev/null && \
	 { echo '# Written by `make lock`: what docker/requirements.txt adds to constraints.txt.'; \
	   $(BIN)/python -c 'import json, sys; \
	print(*sorted("{name}=={version}".format(**i["metadata"]) for i in json.load(open(sys.argv[1]))["install"]), sep="\n")' \
	   "$$report"; } > docker/constraints.txt; rm -f "$$report"
	@$(BIN)/python -m dependencies.lock $(TOOLS)/bin/uv

.PHONY: sbom
sbom: $(RUN) $(TOOLED) ## var/sbom: bills of materials (CycloneDX), of this environment and of the locks with their hashes
	@mkdir -p var/sbom
	@cat $(LOCKS)/run.txt $(LOCKS)/torch.txt $(LOCKS)/lab.txt $(LOCKS)/image.txt | $(TOOLS)/bin/cyclonedx-py requirements - \
	   --pyproject pyproject.toml --output-reproducible --output-file var/sbom/locks.cdx.json
	@$(TOOLS)/bin/cyclonedx-py environment $(BIN)/python \
	   --pyproject pyproject.toml --output-reproducible --output-file var/sbom/environment.cdx.json
	@ls var/sbom/*.cdx.json

.PHONY: audit-dependencies
audit-dependencies: $(RUN) $(TOOLED) ## known vulnerabilities of the locks, where a network reaches a service; what dependencies/exceptions.yaml lacks fails
	@$(BIN)/python -m dependencies.audit --tools $(TOOLS)/bin $(ARGS)

.PHONY: train
train: $(DEV) ## train the taggers that ship on corpus/train, into deid/models
	@$(BIN)/python -m deid train corpus/train --out deid/models $(ARGS)

.PHONY: train-small
train-small: $(DEV) ## the whole chain in minutes: every tagger trained by its small recipe, into var/models
	@$(BIN)/python -m deid train corpus/train --out var/models --small $(ARGS)
	@$(BIN)/python -m nocturne_lab.learning.transformer --config train-small --corpus corpus/train --out var/models/transformer

.PHONY: cross-validate
cross-validate: $(DEV) ## train without some authors, keep what is said of their documents in var/held-out
	@$(BIN)/python -m nocturne_lab.learning.taggers.cross_validation corpus/train var/held-out $(ARGS)

.PHONY: ablation
ablation: $(DEV) ## benchmarks/ablation.md from var/held-out
	@$(BIN)/python -m nocturne_lab.learning.ablation corpus/train var/held-out > benchmarks/ablation.md

.PHONY: unseen
unseen: $(DEV) ## benchmarks/unseen.md: the detector on authors that nothing learned from (minutes)
	@$(BIN)/python -m benchmarks.unseen $(ARGS) > benchmarks/unseen.md

.PHONY: audit
audit: $(RUN) ## benchmarks/epsilon_audit.md: what draws prove against each claim of ε, by mechanism and by document (minutes)
	@$(BIN)/python -m nocturne_lab.evaluation.audit $(ARGS) > benchmarks/epsilon_audit.md

.PHONY: evaluate
evaluate: $(RUN) ## attacks, utility and ICD-10 coding on a sample of the synthetic hospital (minutes)
	@began=$$(date +%s); $(BIN)/python -m benchmarks.evaluation $(ARGS) && \
	$(BIN)/python -m benchmarks.coding --patients 120 --arms tags default && echo "in all: $$(($$(date +%s) - began)) s"

.PHONY: attacks
attacks: $(RUN) ## benchmarks/known_dates.md, known_times.md, known_types.md, parrot.md, two_projects.md, privacy_attacks.md: what an attacker gets from each strategy, what research keeps (minutes)
	@$(BIN)/python -m benchmarks.known_dates
	@$(BIN)/python -m benchmarks.known_times
	@$(BIN)/python -m benchmarks.known_types
	@$(BIN)/python -m benchmarks.parrot --write
	@$(BIN)/python -m benchmarks.two_projects --write
	@$(BIN)/python -m benchmarks.privacy_attacks $(ARGS)

.PHONY: oracles
oracles: ## the mechanisms against OpenDP and diffprivlib, in an environment of its own
	@$(PYTHON) -m venv $(VENV)/oracles
	$(call pip_install,-r $(LOCKS)/oracles.txt,$(VENV)/oracles/bin)
	@$(VENV)/oracles/bin/python -m pytest --noconftest tests/privacy/test_oracles.py $(ARGS)

.PHONY: pictures
pictures: $(DEV) ## docs/images/pages: the stewards' pages in the story of a night, as Chromium shows them
	@PICTURES=docs/images/pages $(BIN)/python -m pytest tests/pages/test_story_of_a_night.py $(ARGS)

.PHONY: docs
docs: $(DEV) ## write what README.md, CONTRIBUTING.md, docs/architecture.md and the dictionary of research take from the code
	@$(BIN)/python -m docs.tables
	@$(BIN)/python -m docs.dictionary

.PHONY: messages
messages: $(DEV) ## the catalogue of the command line's messages (deid/locale) from the code; then translate the empty ones
	@$(BIN)/python -m docs.messages

.PHONY: site
site: $(TOOLED) ## the documentation as a site in var/site (python3 -m http.server -d var/site shows it); a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(TOOLS)/bin/mkdocs build --strict

.PHONY: bench-%
bench-%: $(DEV) ## run benchmarks/%.py: `make bench-night` after `make demo`
	@PYTHONPATH=. $(BIN)/python benchmarks/$*.py $(ARGS)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "make: $(PYTHON) is not Python 3.11 or later. Install one, or say which: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "make: this Python lacks venv. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Environment: making $(VENV)…"
	@$(PYTHON) -m venv $(VENV)

$(RUN): $(TORCH_LOCK) $(LOCKS)/run.txt $(LOCKS)/lab.txt $(LOCKS)/cuda.txt lab/pyproject.toml | $(BIN)/python
	@echo "Environment: installing PyTorch…"
	@rm -rf $(VENV)/torch
	$(call pip,download --no-deps --only-binary :all: --dest $(VENV)/torch $(TORCH),$(BIN))
	$(call pip_install,--no-index --find-links $(VENV)/torch -r $(TORCH_LOCK),$(BIN))
	@rm -rf $(VENV)/torch
	@echo "Environment: installing Airflow and what the product needs (once: minutes, a quarter of an hour on a busy machine)…"
	$(call pip_install,-r $(LOCKS)/run.txt -r $(LOCKS)/lab.txt $$($(BIN)/python -m dependencies.cuda),$(BIN))
	$(call pip,install --no-index --no-deps --no-build-isolation --config-settings editable_mode=compat -e . -e lab,$(BIN))
	@$(BIN)/python -m pip --disable-pip-version-check check >/dev/null || { \
	  $(BIN)/python -m pip --disable-pip-version-check check >&2; exit 1; }
	@touch $@

$(DEV): $(LOCKS)/dev.txt $(RUN) $(TOOLED)
	@echo "Environment: installing what tests and checks need…"
	$(call pip_install,-r $(LOCKS)/dev.txt,$(BIN))
	@touch $@

$(TOOLED): $(LOCKS)/tools.txt | $(BIN)/python
	@echo "Environment: installing the tools that look at dependencies…"
	@$(BIN)/python -m venv $(TOOLS)
	$(call pip_install,-r $<,$(TOOLS)/bin)
	@touch $@
