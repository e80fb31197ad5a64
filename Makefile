# Everything that this package does in one word each; `make help` lists them.
# The packages that are needed stand in packages.txt, and what is missing is installed first.

PREFIX ?= /usr/local
DESTDIR ?=
# The shipped binary needs no Swift on the machine it runs on; with STATIC=1 it needs no libraries at all.
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
SHIP := swift build -c release --product headway --scratch-path $(SHIP_PATH) $(SHIP_FLAGS)
BINARY := $(SHIP_PATH)/release/headway
# Where the peers that are programs in Python are installed.
PEERS := Benchmarks/.build/peers

.PHONY: help demo test bench check install clean

help: ## list these words
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: ## build headway and run the tour, Plans/tour.yaml
	@Scripts/install-packages build demo
	$(SHIP)
	$(BINARY) run Plans/tour.yaml

test: ## run the tests, the tour among them
	@Scripts/install-packages build test demo
	swift test

bench: ## measure a task beside ninja, make and xargs, a timer beside heaps and event loops, progress beside Foundation's, a graph beside oneTBB's, a bar beside tqdm, rich and other bars of pages, a forecast beside ninja's
	@Scripts/install-packages build bench bars
	$(SHIP)
	swift build -c release --package-path Benchmarks
	@test -x $(PEERS)/bin/tqdm || { python3 -m venv $(PEERS) && $(PEERS)/bin/pip install -q tqdm==4.70.1 rich==15.0.0; } || \
	  echo "tqdm and rich cannot be installed from PyPI: those of this machine are measured, if there are any"
	Benchmarks/.build/release/headway-bench spawn time progress launch rate bar --headway $(BINARY)
	Benchmarks/.build/release/headway-bench forecast

check: ## run the whole gate: formatting, tests, sanitizers, documentation, API listing
	@Scripts/install-packages build test demo examples bench gtk web
	Scripts/check

install: ## build the shipped binary and put it under PREFIX=/usr/local; STATIC=1 for one without libraries
	@Scripts/install-packages build
	$(SHIP)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/headway"

clean: ## remove what was built
	rm -rf .build .build-* Benchmarks/.build Examples/.build Examples/Player/.build Plans/.headway Plans/tour/scratch
