.PHONY: demo test assets clients generate lint race fuzz bench page

# The demo: no network and no flags needed. With npm, the page is built first.
demo: page
	go run . demo

# Everything that can be checked here. What is not installed (PostgreSQL, npm,
# a browser) is skipped, unless MINTBURN_REQUIRE_ALL is set, as it is in CI.
test: page
	go vet ./...
	go test ./...

# GraphiQL from npm, built into internal/httpapi/assets, which the binary embeds.
assets:
	cd web && npm ci && npm run build

# What the tests of npm's clients and of the examples need.
clients:
	for folder in web/clients examples/apollo examples/urql; do (cd $$folder && npm ci) || exit 1; done

# As assets, but nothing where it is done already or where npm is not there:
# then the page loads GraphiQL from a CDN.
page:
	@test -d internal/httpapi/assets/built || ! command -v npm >/dev/null || $(MAKE) assets || \
		echo "make: the page could not be built; it will load GraphiQL from a CDN" >&2

# Everything that is generated. The tree is clean after it.
generate:
	go generate ./...

lint:
	golangci-lint run ./...

# Where goroutines meet; fewer random steps, each of which takes ten times as long.
race:
	MINTBURN_STEPS=20 go test -race -timeout 20m -skip 'InABrowser|Clients|Examples|README|Manner|Rooms|Geth|RecordedR|Abuse' ./internal/chain ./internal/command ./internal/httpapi ./internal/indexer ./internal/metadata ./internal/store

# Each fuzz test for FUZZTIME.
FUZZTIME ?= 60s
fuzz:
	@for package in $$(go list ./internal/...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target" && go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./internal/...
