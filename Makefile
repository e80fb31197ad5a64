# The tasks of this package; `make help` lists them. They first install missing packages, as listed in packages.txt.

PREFIX ?= /usr/local
DESTDIR ?=
# The release binary needs no Swift on the machine where it runs; with STATIC=1 it needs no libraries at all.
STATIC ?=

ifeq ($(shell uname),Darwin)
  SHIP_PATH := .build-ship
  SHIP_FLAGS :=
else ifeq ($(STATIC),)
  SHIP_PATH := .build-ship
  SHIP_FLAGS := --static-swift-stdlib -Xlinker -s -Xlinker --gc-sections
else
  SHIP_PATH := .build-static
  SHIP_FLAGS := -Xswiftc -static-executable -Xlinker -s -Xlinker --gc-sections
endif
# Otherwise the binary would first look for its libraries in its own folder.
RPATH_FLAGS := --disable-local-rpath
SHIP := swift build -c release --product headway --scratch-path $(SHIP_PATH) $(SHIP_FLAGS) $(RPATH_FLAGS)
BINARY := $(SHIP_PATH)/release/headway
# Where the peers of the benchmarks that come from PyPI are installed.
PEERS := Benchmarks/.build/peers

.PHONY: help demo test programs bench bench-machines test-machines check install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: ## build headway and run the tour, Plans/tour.yaml
	@Scripts/install-packages build demo
	$(SHIP)
	$(BINARY) run Plans/tour.yaml

test: ## run the tests, the tour among them
	@Scripts/install-packages build test demo
	@Scripts/test

programs: ## build the benchmarks and the examples with the library of the release binary, as the checks do
	swift build -c release --package-path Benchmarks --scratch-path $(SHIP_PATH) $(SHIP_FLAGS) $(RPATH_FLAGS)
	swift build -c release --package-path Examples --scratch-path $(SHIP_PATH) $(SHIP_FLAGS) $(RPATH_FLAGS)

bench: ## run all benchmarks, beside ninja, make, xargs, libuv, libevent, Foundation, oneTBB, tqdm, rich, Zig and others
	@Scripts/install-packages build bench bars
	$(SHIP)
	swift build -c release --package-path Benchmarks
	@test -x $(PEERS)/bin/tqdm || { python3 -m venv $(PEERS) && $(PEERS)/bin/pip install -q tqdm==4.70.1 rich==15.0.0; } || \
	  echo "tqdm and rich cannot be installed from PyPI; if they are installed on this machine, those are measured"
	@$(MAKE) --no-print-directory $(PEERS)/zig_progress || \
	  echo "ziglang cannot be installed from PyPI; the pipe of programs in Zig is not measured"
	Benchmarks/.build/release/headway-bench spawn time progress launch rate bar relay --headway $(BINARY)
	Benchmarks/.build/release/headway-bench forecast
	Benchmarks/.build/release/headway-bench forecast --formulas

bench-machines: ## as root, run the benchmark of tasks on other machines, beside sbatch, GNU parallel, Dask and Snakemake
	@Scripts/install-packages build bench machines
	$(SHIP)
	swift build -c release --package-path Benchmarks
	@test -x $(PEERS)/bin/snakemake || { python3 -m venv $(PEERS) && $(PEERS)/bin/pip install -q distributed==2026.8.0 snakemake==9.27.1 \
	  snakemake-executor-plugin-slurm==2.8.0; } || echo "Dask and Snakemake cannot be installed from PyPI, and are not measured"
	PATH="$(PWD)/$(PEERS)/bin:$$PATH" Benchmarks/.build/release/headway-bench machines --headway $(BINARY)

# Zig comes from PyPI, too.
$(PEERS)/zig_progress: Benchmarks/Peers/zig_progress.zig
	@python3 -m venv $(PEERS)
	@$(PEERS)/bin/pip install -q ziglang==0.17.1
	@ZIG_GLOBAL_CACHE_DIR=$(PEERS)/zig-cache $(PEERS)/bin/python -m ziglang build-exe -O ReleaseSafe --cache-dir $(PEERS)/zig-cache \
	  -femit-bin=$@ $<

test-machines: ## as root, run plans on three hosts and a Slurm cluster on this machine, and kill what can be killed
	@Scripts/install-packages build machines
	swift build -c release --product headway
	Scripts/test-machines

check: ## run the gate: formatting, tests, ThreadSanitizer, documentation, API listing, counts of the benchmarks, examples
	@Scripts/install-packages build test demo examples bench gtk web
	Scripts/check

install: ## build the release binary and install it, its manual pages, completion and the JSON Schema of plans under PREFIX=/usr/local; STATIC=1 links all libraries statically
	@Scripts/install-packages build
	$(SHIP)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/headway"
	@Scripts/install-shared $(BINARY) "$(DESTDIR)$(PREFIX)/share"

uninstall: ## remove what `make install` installed under PREFIX=/usr/local
	@Scripts/install-shared --remove "$(DESTDIR)$(PREFIX)/bin/headway" "$(DESTDIR)$(PREFIX)/share"
	rm -f "$(DESTDIR)$(PREFIX)/bin/headway"

clean: ## remove what was built
	rm -rf .build .build-* Benchmarks/.build Examples/.build Examples/Player/.build Plans/.headway Plans/tour/scratch
