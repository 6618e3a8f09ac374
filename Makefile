.PHONY: release demo build prefix install uninstall module test short assets clients generate lint race fuzz bench bench-full bench-sync bench-packages bench-compare bench-traces peers allocations abuse soak page

# The demo, with a new block every two seconds: no network and no flags needed.
demo: build
	build/bin/mintburn demo --live

# The build tags of a release.
TAGS = otel,parquet

# Prints a line for each tool that is missing, before anything is built, and fails without Go or a C
# compiler that finds the headers of the C library.
define tools
@missing=0; miss() { echo "make: $$1" >&2; missing=1; }; \
	command -v npm >/dev/null || miss "npm is missing, so the Playground will come from a CDN: to have it in the program, install the package npm"; missing=0; \
	command -v go >/dev/null || miss "Go is missing: install Go 1.26 from https://go.dev/dl/, or the package golang if it has that version"; \
	echo '#include <stdlib.h>' | $$(go env CC 2>/dev/null || echo $${CC:-gcc}) -E -o /dev/null -x c - 2>/dev/null || \
		miss "a C compiler for SQLite is missing: install the packages gcc and libc6-dev (on Alpine, build-base)"; \
	exit $$missing
endef

# Installs npm packages as their lock file says, and prints errors only.
NPM = npm --loglevel=error --no-audit --no-fund --no-update-notifier
define npm
@command -v npm >/dev/null || { echo "make: npm is missing: install the package npm" >&2; exit 1; }
endef

# Runs a command and prints a dot a second meanwhile.
define dotted
while sleep 1 && kill -0 $$$$ 2>/dev/null; do printf . >&2; done & dots=$$!; $(1); status=$$?; kill $$dots; echo >&2; exit $$status
endef

# The Playground. Without npm, the page loads it from a CDN.
PAGE = internal/httpapi/page/assets/built
NPM_PAGE := $(if $(shell command -v npm 2>/dev/null),$(PAGE))
page: $(NPM_PAGE)
$(PAGE):
	$(tools)
	@$(MAKE) --no-print-directory assets || echo "make: the Playground could not be built: it will come from a CDN" >&2

# The program with all parts of a release, its manual page and completions, in build/. They
# are built again only after a file of the repository changed: sudo make install after make
# build compiles nothing.
SOURCES := $(wildcard $(shell git ls-files --cached --others --exclude-standard 2>/dev/null))
FILES = share/man/man1/mintburn.1 share/bash-completion/completions/mintburn share/zsh/site-functions/_mintburn share/fish/vendor_completions.d/mintburn.fish
build: build/bin/mintburn
build/bin/mintburn: $(SOURCES) $(NPM_PAGE)
	$(tools)
	@echo "make: compiling; the first time takes two minutes on two cores, mostly for SQLite" >&2
	@mkdir -p $(dir $(addprefix build/,bin/ $(FILES)))
	@$(call dotted,go build -trimpath -tags $(TAGS) -ldflags "-s -w" -o build/bin/mintburn.new .)
	@cd build && bin/mintburn.new man >share/man/man1/mintburn.1 && \
		bin/mintburn.new completion bash >share/bash-completion/completions/mintburn && \
		bin/mintburn.new completion zsh >share/zsh/site-functions/_mintburn && \
		bin/mintburn.new completion fish >share/fish/vendor_completions.d/mintburn.fish && \
		mv bin/mintburn.new bin/mintburn

# Installs them and the systemd unit below PREFIX, for a package below DESTDIR/PREFIX.
PREFIX ?= /usr/local
UNIT = lib/systemd/system/mintburn.service
prefix:
	@case '$(PREFIX)' in *[[:space:]]* | [!/]* | '') echo "make: PREFIX: got '$(PREFIX)', want an absolute path without spaces" >&2; exit 1 ;; esac
install: prefix build
	@set -e; for file in bin/mintburn $(FILES) $(UNIT); do install -d "$(DESTDIR)$(PREFIX)/$${file%/*}"; done
	install -m 755 build/bin/mintburn "$(DESTDIR)$(PREFIX)/bin/mintburn"
	@set -ex; for file in $(FILES); do install -m 644 "build/$$file" "$(DESTDIR)$(PREFIX)/$$file"; done
	sed 's|/usr/local/|$(PREFIX)/|' ops/mintburn.service >"$(DESTDIR)$(PREFIX)/$(UNIT)"
	@chmod 644 "$(DESTDIR)$(PREFIX)/$(UNIT)"

# Removes what install installed with the same PREFIX and DESTDIR. Databases stay.
uninstall: prefix
	rm -f $(foreach file,bin/mintburn $(FILES) $(UNIT),"$(DESTDIR)$(PREFIX)/$(file)")

# All tests. Those whose tools (PostgreSQL, npm, a browser) are not installed are
# skipped, or fail if MINTBURN_REQUIRE_ALL is set, as in CI. Eight tests of a package run at once,
# because many wait.
AT_ONCE = -parallel 8
test: page
	$(tools)
	@echo "make: compiling" >&2
	@$(call dotted,go build ./...)
	go test $(AT_ONCE) -timeout 30m ./...
	go test -C bench ./...
	go test -tags $(TAGS) -timeout 10m -run 'TestParquet|TestData|TestTracing' ./internal/export ./internal/command

# Builds the Playground and Explore into internal/httpapi/page/assets, which the binary embeds.
assets:
	$(npm)
	cd web && $(NPM) ci >/dev/null && node build.js

# Builds the archives of a release for Linux, their SBOMs and SHA256SUMS, in dist/, from a
# commit. They are equal byte for byte wherever they are built with the same version of Go.
# Needs linux/amd64.
release: assets
	cd ops/release && $(NPM) ci
	go run ./ops/release

# Renames the Go module to MODULE, such as github.com/you/mintburn: docs/install.md.
OURS = $(shell sed -n 's/^module //p' go.mod)
module:
	@case '$(MODULE)' in '' | *[!a-zA-Z0-9./_~-]*) echo "make: MODULE: got '$(MODULE)', want a module path" >&2; exit 1 ;; esac
	git grep -lwF '$(OURS)' -- '*.go' '*.gotpl' '*.tmpl' '*go.mod' '*gqlgen.yml' Makefile | xargs sed -Ei \
		"s#(^|[^A-Za-z.])$(OURS)/(bench|ent|graph|internal)\b#\1$(MODULE)/\2#g; s#^(module |replace |\t)$(OURS)( v0| =>|\$$)#\1$(MODULE)\2#; \
		s#(const module = |Dir}}\", )\"$(OURS)\"#\1\"$(MODULE)\"#"
	gofmt -w $$(git ls-files '*.go')

# Installs the npm packages for the tests of npm clients and of the examples.
clients:
	$(npm)
	for folder in web/clients examples/apollo examples/urql examples/typescript examples/verify-proof; do (cd $$folder && $(NPM) ci) || exit 1; done

# Generates all code: ent first, because gqlgen reads its code. Afterwards the tree must
# be clean.
generate:
	go generate ./ent
	go generate .

# golangci-lint, which includes govet.
lint:
	golangci-lint run ./...
	golangci-lint run --build-tags $(TAGS) ./internal/command/... ./internal/export
	cd bench && golangci-lint run ./...

# The rules of each package, in one to two minutes on two cores (130 s of CPU): no long random
# histories, kills, big data, old databases or browsers, and no followers that wait for a node.
short:
	$(tools)
	go test $(AT_ONCE) -short ./...

# The short tests of the concurrent packages with the race detector, which takes ten times
# as long, without those that read many answers of a node one after the other. .ci/long race runs
# those of all packages.
PACKAGES ?= ./graph ./internal/chain/jsonrpc ./internal/database ./internal/httpapi ./internal/httpapi/admit ./internal/indexer ./internal/metadata
SKIP ?= ^Test(Cuts|Range_(Sizes|LieOnce|Errors)|Client_(NoBatches|MaxBody|FlakyBatches)|Refused|Times|Indices|NullRounds|Receipts|OddValues|Absence)
race:
	MINTBURN_STEPS=10 go test $(AT_ONCE) -race -short -timeout 30m -skip '$(SKIP)' $(PACKAGES)

# Each fuzz test for FUZZTIME, starting from the inputs that earlier runs found. Packs the
# old and new inputs into the archive, in Go's format.
FUZZTIME ?= 60s
CORPUS = internal/testdata/fuzz.tar.gz
fuzz:
	@found=$$(go env GOCACHE)/fuzz/mintburn/internal && mkdir -p "$$found" && tar -xzf $(CORPUS) -C "$$found" && \
	for package in $$(go list ./internal/...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target" && go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done && \
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -I 'gzip -9n' -C "$$found" -cf $(CURDIR)/$(CORPUS).new . && \
	mv $(CORPUS).new $(CORPUS)

# Our server against static bytes and a hand-written handler, in a minute or two.
bench:
	go run -C bench .

# The tables of docs/performance.md: also against Mercurius and PostGraphile, on
# 2,000,000 records. Three quarters of an hour; needs PostgreSQL and npm.
bench-full: peers
	go run -C bench . --records 2000000 --for 10s --contestants static,hand,mintburn,postgresql,mercurius,cluster,postgraphile

# A sync of 1,000,000 records from a node in the same process: records a second, CPU
# time a record, and memory.
bench-sync:
	go test -run '^$$' -bench '^BenchmarkSync$$' -benchtime 1x ./internal/command

# The cost of abusive requests for a server and for another client: time, processor
# time, memory, latency. Two minutes; Linux only.
abuse:
	go run -C bench . abuse

# Runs servers for SOAK through kills, a full disk, lost nodes, reorgs, clock steps and ten
# times the load. From 5m on, half of the time with PostgreSQL. Linux only.
SOAK ?= 60s
soak:
	MINTBURN_SOAK=$(SOAK) go test -count=1 -timeout 2h -v -run '^TestSoak$$' ./internal/command

# Installs the contestants from npm.
peers:
	cd bench/peers && $(NPM) ci

# The benchmarks of the packages.
bench-packages:
	go test -run '^$$' -bench . -benchmem ./internal/...

# Compares with the commit BASE, by default the last release: time, bytes and allocations
# an answer, and whether the difference is significant. The order alternates, because the
# machine's speed drifts.
BASE ?= $(shell git describe --tags --abbrev=0 2>/dev/null)
BENCHTIME ?= 0.5s
BENCHSTAT = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
bench-compare:
	@test -n "$(BASE)" || { echo "make: there is no release yet: set BASE=COMMIT" >&2; exit 1; }
	@set -e; there=$$(mktemp -d); trap 'git worktree remove --force "$$there/base"; rm -rf "$$there"' EXIT; \
	git worktree add --quiet --detach "$$there/base" "$(BASE)"; \
	test -d "$$there/base/bench" || { echo "make: $(BASE) has no bench: set BASE=COMMIT to a commit that has one" >&2; exit 1; }; \
	go test -C "$$there/base/bench" -c -o "$$there/old" .; go test -C bench -c -o "$$there/new" .; \
	for _ in $$(seq 10); do for which in old new new old; do \
		(cd bench && "$$there/$$which" -test.run '^$$' -test.bench Answer -test.benchmem -test.benchtime $(BENCHTIME) >>"$$there/$$which.txt"); \
	done; done; \
	go run $(BENCHSTAT) "$(BASE)=$$there/old.txt" "here=$$there/new.txt"

# The cost of traces, alone and as the time of answers from SQLite. The latter compares a
# build without traces, a build that sends none, and one that sends those of one request in
# a hundred, in alternating order.
bench-traces:
	go test -tags otel -run '^$$' -bench '^BenchmarkTracing$$' ./internal/command/serving
	@set -e; there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; cd bench; \
	go test -c -o "$$there/plain" .; go test -tags otel -c -o "$$there/traced" .; \
	run() { "$$there/$$2" -test.run '^$$' -test.bench "^Benchmark$$3\$$" -test.benchmem -test.benchtime $(BENCHTIME) | sed s/Traced/Answer/ >>"$$there/$$1.txt"; }; \
	none() { run none plain Answer; }; off() { run off traced Answer; }; sampled() { run sampled traced Traced; }; \
	for _ in $$(seq 7); do none; off; sampled; off; sampled; none; sampled; none; off; done; \
	go run $(BENCHSTAT) "none=$$there/none.txt" "off=$$there/off.txt" "sampled=$$there/sampled.txt"

# Records the allocations of each answer; the tests fail when they grow by more than a
# tenth.
allocations:
	go test -C bench -v -run '^TestAllocations$$' . -update
