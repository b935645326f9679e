# The only entry point. make help lists what there is.
.DEFAULT_GOAL := help
.PHONY: help run demo build test test-sqlite clients enumerate check keycloak bench fuzz openapi lint fmt-check vet staticcheck gosec openapi-lint tidy-check sync-check vuln tidy up down smoke clean tools

# Every module of go.work, as ./libs and so on. MODULES=./services/wf narrows the targets that
# go through all of them. Those with the longest tests come first: go test starts packages in
# this order, and a long one at the end would run alone.
MODULES  ?= $(patsubst $(CURDIR)/%,./%,$(shell go list -f '{{.Dir}}' -m | sort -r))
packages := $(addsuffix /...,$(MODULES))

# Every program of the services, as ./services/wf/cmd/wf.
programs := $(patsubst %/main.go,./%,$(wildcard services/*/cmd/*/main.go))

help: ## this list; the Makefile has the targets of maintainers
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Everything is compiled as the programs are, so that one compilation does for most of it.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

# ARGS are arguments, apart by spaces: the shell splits them and does nothing else with
# them, so that a bar in a pattern (ARGS='-run A|B') needs no quotes.
export ARGS

# --- use it ---

run: build ## the services on SQLite in .data, with the development issuer; Ctrl-C stops them
	@REGISTRAR_APPROVAL_URL="$${REGISTRAR_APPROVAL_URL-http://127.0.0.1:8081}" deploy/dev/run.sh $(addprefix bin/,$(notdir $(programs)))

demo: build ## a tour of both services, with its own data
	set -f; go run ./test/demo $$ARGS

# Without symbols for debuggers, which are a third of the size.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
ldflags = -s -w -X github.com/countersign/countersign/libs/daemon.version=$(VERSION)
build: # the programs, into bin; they need no C library
	@mkdir -p bin; [ -n "$$(ls bin)" ] || echo "The first build takes about four minutes on two cores, later ones seconds."
	@{ CGO_ENABLED=0 go build -v -ldflags '$(ldflags)' -o bin/ $(programs) 2>&1; echo "status $$?"; } | \
	{ n=0; while read -r line; do case $$line in \
		"status "*) exit "$${line#status }";; \
		*[!a-zA-Z0-9._/~-]*) echo "$$line" >&2;; \
		*) n=$$((n+1)); [ $$((n%50)) != 0 ] || echo "$$n packages compiled";; esac; done; }

# --- check it ---

# SQLite, which is C translated to Go, is compiled without the race detector: it would take four times as long. -O0 is
# for a C SQLite that gorm's driver imports and no program uses.
race = -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false
test: tools ## all tests, on SQLite and PostgreSQL (TEST_POSTGRES_URL, or a throw-away server)
	@set -e; export GOGC=400 COUNTERSIGN_REQUIRE_POSTGRES=1; \
	if command -v "$$(go env CC)" >/dev/null; then race='$(race)'; export CGO_ENABLED=1 CGO_CFLAGS=-O0; \
	else race=; export CGO_ENABLED=0; echo "make test: no C compiler, so without the race detector"; fi; \
	set -- go test $$race -vet=off -p 3 -timeout 60m $(packages); \
	if [ -n "$$TEST_POSTGRES_URL" ]; then "$$@"; else deploy/dev/postgres.sh run "$$@"; fi

# From the distribution: a C compiler for the race detector, and promtool for the tests of alerts.
promtool := .cache/promtool/usr/bin/promtool
tools:
	@command -v "$$(go env CC)" >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
	{ apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null; } || true
	@command -v promtool >/dev/null || [ -x $(promtool) ] || ! command -v dpkg-deb >/dev/null || \
	{ mkdir -p .cache/promtool && cd .cache/promtool && \
	{ apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } && \
	dpkg-deb -x prometheus_*.deb . && rm -f prometheus_*.deb; } 2>/dev/null || \
	echo "make test: without promtool, and so without the tests of the alerts"

test-sqlite: # all tests that need no PostgreSQL; for a quick look
	TEST_POSTGRES_URL= CGO_ENABLED=0 go test $(packages)

clients: # generated clients compile and work, one generator of each language; SUITE=clients takes all
	@COUNTERSIGN_CLIENTS=1 $(MAKE) --no-print-directory check SUITE=clients

# Ten minutes of processor time. make test takes a part of them.
enumerate: # every order of events of every small policy of wf
	WF_ENUMERATE=full CGO_ENABLED=0 go test -count=1 -timeout 2h -run '^TestEveryOrderOf' -v ./services/wf/...

# What make test leaves out, because it takes long, or needs the network or other programs:
#   browser     the inbox and the console: axe-core, narrow, dark, French, without scripts (chromium, node, npm)
#   chaos       the programs killed and restarted under load, on databases that refuse; for minutes
#   clients     generated clients compile and work, of all generators; make clients takes one of each language
#   containers  the images and Compose: the tour, restarts, partitions, kills, an upgrade under load (Docker)
#   failover    a PostgreSQL under Patroni fails over FAILOVERS times under load (root, Patroni, etcd)
#   interop     real peers: Keycloak, its own or at KEYCLOAK_URL; eSignet at ESIGNET_URL (Java, Maven Central)
#   kubernetes  the Helm charts: helm lint, the schemas, a dry run at a kube-apiserver, which compiles once for long
#   postgres    on PostgreSQL, the tests above the stores, which make test runs on SQLite
# A suite that lacks a program says so and is skipped. COUNTERSIGN_REQUIRE_KEYCLOAK=1, …_CONTAINERS=1, …_FAILOVER=1
# and …_KUBERNETES=1 make that a failure.
suites := browser chaos clients containers failover interop kubernetes postgres
check: ## a long suite: make check SUITE=browser; without SUITE it lists them. ARGS='-run TestX' takes a part
	@set -ef; export CGO_ENABLED=0; t='go test -count=1 -timeout 60m -v'; database=; \
	[ -n "$$TEST_POSTGRES_URL" ] || database='deploy/dev/postgres.sh run'; \
	case '$(SUITE)' in \
	browser) COUNTERSIGN_BROWSER=1 $$t $$ARGS ./test/browser;; \
	chaos) export COUNTERSIGN_CHAOS=1 COUNTERSIGN_REQUIRE_POSTGRES=1; \
		$$database $$t $$ARGS ./test/chaos;; \
	clients) COUNTERSIGN_CLIENTS=$${COUNTERSIGN_CLIENTS:-all} $$t $$ARGS ./test/clients;; \
	containers) COUNTERSIGN_CONTAINERS=1 deploy/dev/docker.sh run $$t -run TestTheStackInContainers $$ARGS ./test/containers;; \
	failover) COUNTERSIGN_FAILOVER=1 deploy/dev/failover.sh run $$t -run Failovers $$ARGS ./test/chaos;; \
	interop) peer=; [ -n "$$KEYCLOAK_URL" ] || peer='deploy/keycloak/keycloak.sh run'; \
		export COUNTERSIGN_INTEROP=1; $$peer $$t $$ARGS ./test/interop;; \
	kubernetes) deploy/dev/kubernetes.sh run $$t $$ARGS ./test/kubernetes;; \
	postgres) export COUNTERSIGN_DATABASE=postgres COUNTERSIGN_REQUIRE_POSTGRES=1; \
		$$database $$t $$ARGS ./services/wf/internal/api ./services/wf/internal/server ./services/oidc-registrar/internal/...;; \
	*) echo "make check: SUITE is one of $(suites)"; exit 2;; esac

bench: build ## the benchmarks, on a PostgreSQL that writes to disk
	set -f; POSTGRES_FSYNC=on deploy/dev/postgres.sh run go run ./test/bench $$ARGS

FUZZTIME ?= 60s
fuzz: # each fuzz target for FUZZTIME
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func Fuzz' $(MODULES)); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "$$file $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$(dirname $$file); \
		done; \
	done

openapi: # write each service's openapi.yaml and the generated pages of docs from the code
	@set -e; export CGO_ENABLED=0; for p in $(programs); do s=$${p%/cmd/*}; go test $$s/internal/api -run TestOpenAPI -update; \
		go test $$s/internal/server -run TestThePageOnConfiguration -update; done; \
		go test ./services/wf/internal/policyfile -run TestTheGeneratedPages -update

# --- keep it ---

# tool installs a pinned program into a folder of its own: a new version is a new
# folder. $(1) is its name, $(2) its package, $(3) its version. gosec v2.30.0 and
# govulncheck v1.9.0 need modules that the proxy does not serve yet.
define tool
$(1) := $(CURDIR)/.cache/bin/$(1)-$(3)/$(1)
$$($(1)):
	GOBIN=$$(@D) CGO_ENABLED=0 go install $(2)@$(3)
endef
$(eval $(call tool,staticcheck,honnef.co/go/tools/cmd/staticcheck,v0.8.2))
$(eval $(call tool,gosec,github.com/securego/gosec/v2/cmd/gosec,v2.29.0))
$(eval $(call tool,govulncheck,golang.org/x/vuln/cmd/govulncheck,v1.8.0))

# A known vulnerability blocks a release (make vuln), not a merge: advisories appear
# without a change of ours.
lint: fmt-check vet staticcheck gosec openapi-lint tidy-check sync-check ## gofmt, go vet, staticcheck, gosec, redocly, spectral, go mod tidy, go work sync, govulncheck
	@$(MAKE) --no-print-directory vuln || echo "make lint: make vuln failed; see above"

fmt-check:
	@files=$$(gofmt -l $(MODULES)); [ -z "$$files" ] || { echo "not formatted by gofmt:"; echo "$$files"; exit 1; }

# Without cgo, as the programs are built.
vet:
	CGO_ENABLED=0 go vet $(packages)

staticcheck: $(staticcheck)
	CGO_ENABLED=0 $(staticcheck) $(packages)

# gosec finds no files, and is content, in a module that it is not run in. Excluded:
#   G304, a file named by a variable: the operator names them, no request does.
#   G204, a program started with variables, in test: harnesses start what they test.
# Any other finding is fixed, or annotated where it is: // #nosec G404 -- jitter
gosec: $(gosec)
	@status=0; for m in $(MODULES); do \
		exclude=G304; case $$m in ./test) exclude=G304,G204;; esac; \
		echo "gosec $$m"; \
		[ -z "$$(cd $$m && go list ./... 2>/dev/null)" ] || (cd $$m && CGO_ENABLED=0 $(gosec) -quiet -exclude=$$exclude ./...) || status=1; \
	done; exit $$status

# npm packages, pinned by a lock file. Installing them runs no script of theirs.
documents := $(wildcard services/*/openapi.yaml)
readers   := $(CURDIR)/.cache/openapi-lint
$(readers)/node_modules/.package-lock.json: deploy/openapi/package.json deploy/openapi/package-lock.json
	@mkdir -p $(readers) && cp $^ $(readers)
	cd $(readers) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

ifeq ($(shell command -v npm),)
openapi-lint:
	@echo "make openapi-lint: skipped, npm is not there"
else
openapi-lint: export REDOCLY_SUPPRESS_UPDATE_NOTICE=true
openapi-lint: $(readers)/node_modules/.package-lock.json # redocly and spectral, where npm is there
	$(readers)/node_modules/.bin/redocly lint --config deploy/openapi/redocly.yaml $(documents)
	$(readers)/node_modules/.bin/spectral lint --ruleset deploy/openapi/spectral.yaml --fail-severity hint $(documents)
endif

# Each module must also build by itself, without go.work.
tidy-check:
	@set -e; for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff) || { echo "$$m: go.mod is not tidy; run make tidy"; exit 1; }; done

# Images and go install use the versions in go.mod, tests those of the workspace: they are
# the same after go work sync.
modules-of = go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}' ./... | grep -v countersign | sort -u
sync-check:
	@set -e; for m in $(MODULES); do cd $(CURDIR)/$$m; \
		alone=$$(GOWORK=off $(modules-of)); together=$$($(modules-of)); \
		[ "$$alone" = "$$together" ] || { echo "$$m has other dependency versions than the workspace; run make tidy"; exit 1; }; \
	done

vulndb := https://vuln.go.dev
vuln: $(govulncheck) # govulncheck; fails if its database cannot be reached
	@if command -v curl >/dev/null && ! curl -fsS -m 10 -o /dev/null $(vulndb)/index/db.json; then \
		echo "make vuln: $(vulndb) cannot be reached"; exit 1; \
	else CGO_ENABLED=0 $(govulncheck) $(packages); fi

tidy: # go work sync, and go mod tidy in every module
	go work sync
	@set -e; for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy); done

# --- the whole system in containers ---

# The development issuer takes the place of an identity provider: the services get
# the public half of its key. bin/wf token makes tokens for them. wf keeps secrets
# with a key of its own.
up: build ## PostgreSQL and the services, healthy before it returns
	@mkdir -p -m 700 .data
	bin/wf jwks --data-dir .data >.data/dev-issuer.jwks
	@[ -s .data/wf-enc.keys ] || echo "local:$$(head -c 32 /dev/urandom | base64)" >.data/wf-enc.keys
	@chmod 644 .data/dev-issuer.jwk .data/dev-issuer.jwks .data/wf-enc.keys # the mode of .data refuses other users
	VERSION=$(VERSION) REVISION=$$(git rev-parse HEAD 2>/dev/null || echo unknown) \
	WF_NOTIFY_SMTP_URL=$(if $(findstring observability,$(COMPOSE_PROFILES)),smtp://mailpit:1025?starttls=none) \
	docker compose up --build --detach --wait
	@for s in wf=proxy:8081 oidc-registrar=proxy:8082 Prometheus=prometheus:9090 Alertmanager=alertmanager:9093 \
		Grafana=grafana:3000 Mailpit=mailpit:8025; do at=$${s#*=}; \
		address=$$(docker compose port $${at%:*} $${at#*:} 2>/dev/null) && echo "$${s%=*} is at http://$$address" || true; \
	done

# Its database is in the container: the realm begins anew after make down.
keycloak: # Keycloak with the realm of deploy/keycloak, healthy before it returns
	docker compose --profile keycloak up --detach --wait keycloak
	@url=$$(sed -n 's/^KC_HOSTNAME=//p' deploy/keycloak.env); echo "Keycloak is at $$url; try KEYCLOAK_URL=$$url make check SUITE=interop"

down: ## stop them and what goes with them; the data of the services is kept in a volume
	docker compose --profile '*' down

# As the owner of the key that signs its tokens. Without dependencies, because run would scale them to one replica.
smoke: ## the tour of make demo, through what make up started
	docker compose run --rm --build --no-deps --use-aliases --user "$$(id -u):$$(id -g)" smoke

clean: # remove what was built and the tools; not .data
	rm -rf bin .cache
