# make demo     what mayhap is for, in a minute: a real server recorded and judged, and a live one tested until it is caught
# make http     Apache, nginx and lighttpd tested by the RFC, for a minute each
# make sync     Unison and rsync tested as file synchronizers, and the calls of a file system, for a minute
# make systems  beanstalkd, memcached, Redis, SQLite, etcd and more, as far as they are installed, tested by their documentation, for a minute each
# make test     all tests
# make release  target/guided/release/mayhap, which judges faster than what cargo builds by itself
# make wheel    target/wheels/mayhap-….whl, the package for Python: `pip install` it; it has Z3 and the command in it
# make bench    the figures
# make lint     formatting, clippy, documentation, with and without the command: warnings are errors
# Each does its own set-up (a C compiler, pkg-config, libz3). FEATURES=vendored builds Z3 from source instead.

# Tests run in threads with the stack of a main thread: what is read may be nested 128 levels deep.
export RUST_MIN_STACK ?= 8388608
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo http sync systems test release wheel bench lint setup

FEATURES ?=
CARGO_FLAGS := $(if $(FEATURES),--features $(FEATURES))
export MAYHAP_VENDORED := $(if $(findstring vendored,$(FEATURES)),1)

help:
	@sed -n 's/^# //p' Makefile

setup:
	@.ci/setup

demo: setup
	@.ci/setup nginx memcached python3 || echo "demo: without these servers the kept recordings are judged instead" >&2
	@# Only what is shown, and quickly built: without TLS, and without the crates that only tests need.
	@cargo build --profile demo --quiet $(CARGO_FLAGS) --no-default-features --features recorders --bin mayhap --bin record_nginx --bin record_memcached --bin flip_answer
	@examples/demo.sh

http: setup
	@.ci/setup apache2 nginx lighttpd python3
	@cargo build --release --quiet $(CARGO_FLAGS) --bin mayhap
	@python3 examples/http/test.py target/release/mayhap

sync: setup
	@.ci/setup python3 unison rsync || echo "sync: what is missing is left out" >&2
	@cargo build --release --quiet $(CARGO_FLAGS) --bin mayhap
	@python3 examples/sync/test.py target/release/mayhap

systems: setup
	@cargo build --release --quiet $(CARGO_FLAGS) --bin mayhap
	@examples/systems/run target/release/mayhap

test: setup
	@# A plain `cargo test` would link every example, too; that they compile is seen by `make lint`.
	@mkdir -p target
	@{ cargo test $(CARGO_FLAGS) --tests && cargo test --package mayhap-macros --package mayhap-choice && cargo test $(CARGO_FLAGS) --doc; } 2>&1 | tee target/test.log
	@.ci/summary target/test.log

release: setup
	@.ci/guided $(CARGO_FLAGS)

wheel: setup
	@.ci/wheel --release $(if $(FEATURES),--features mayhap/$(FEATURES))

bench: setup
	@cargo bench $(CARGO_FLAGS) --bench throughput --bench texts --bench hidden --bench holes --bench beyond --bench histories --bench paths --bench interface
	@benches/instructions.sh
	@benches/performance.py
	@cargo run --release --quiet --manifest-path benches/peers/Cargo.toml --target-dir target/peers

lint: setup
	cargo fmt --all --check
	cargo clippy --quiet --all-targets $(CARGO_FLAGS) -- -D warnings
	cargo clippy --quiet --package mayhap-macros --package mayhap-choice --all-targets -- -D warnings
	cargo clippy --quiet --package mayhap-python -- -D warnings
	cargo clippy --quiet --lib --no-default-features $(CARGO_FLAGS) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --document-private-items $(CARGO_FLAGS)
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --lib --no-default-features $(CARGO_FLAGS)
