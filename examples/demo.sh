#!/usr/bin/env bash
# What mayhap is for, in a minute: a specification that leaves a server free, and recordings that it explains or not.
# Called by `make demo`, which builds the command and the examples first.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
built=${CARGO_TARGET_DIR:-target}/demo
kept=$built/shown # the recordings stay here, to be looked at
mkdir -p "$kept"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

failed() { printf 'demo: FAILED: %s\n' "$*" >&2; exit 1; }

# Shows a command, runs it, and stops the demo unless its exit code is $1 and its output contains $2.
expect() {
    local wanted=$1 part=$2 code=0 said
    shift 2
    printf '$ %s\n' "mayhap $*"
    said=$("$built/mayhap" "$@") || code=$?
    printf '%s\n' "$said"
    [ "$code" -eq "$wanted" ] || failed "exit code $code, expected $wanted"
    [[ $said == *"$part"* ]] || failed "the output does not say: $part"
}

say "1. A server that keeps a secret. This is its specification, specs/cmp_rst.may:"
sed -n '/^protocol/,$p' specs/cmp_rst.may
say "   A server answered 1 to 5, 0 to 3 and 1 to 4. May it have been this one?"
expect 0 ": accept (3 events)" validate specs/cmp_rst.may tests/data/traces/cmp_rst/accept_between.ndjson
say "   Another one answered 1 to 5, 0 to 3 and 1 to 2. Never, whatever number it took:"
expect 1 "line 2 answered 0 to 3, which means n >= 3" validate specs/cmp_rst.may tests/data/traces/cmp_rst/reject_between.ndjson

recording=$kept/nginx.ndjson
say "2. A real server: nginx hands out files that change: 5,000 requests, mostly with If-None-Match, and changes."
if command -v nginx >/dev/null; then
    "$built/record_nginx" --out "$recording" --seed "${SEED:-1}" --requests 5000
    shown="a fresh recording of $(nginx -v 2>&1 | sed 's/.* //')"
else
    echo "nginx is not installed here (apt-get install nginx-light): this is a recording made earlier."
    cp tests/data/traces/static_etag/nginx.ndjson "$recording"
    shown="a kept recording of nginx"
fi
say "   Are all its answers allowed by specs/static_etag.may, for some tags that it chose in secret?"
expect 0 ": accept (" validate specs/static_etag.may "$recording"

say "3. The same recording with one answer changed, as if nginx had missed a change of a file:"
"$built/flip_answer" "$recording" "$kept/flipped.ndjson"
expect 1 "which means files[" validate specs/static_etag.may "$kept/flipped.ndjson" --check-reason --reason-time 20

recording=$kept/memcached.ndjson
say "4. memcached, of which nothing is known: 2,000 commands, recorded after 2,000 that nobody recorded."
if command -v memcached >/dev/null; then
    "$built/record_memcached" --out "$recording" --seed "${SEED:-1}" --skip 2000 --requests 2000 --waits 0
else
    echo "memcached is not installed here (apt-get install memcached): this is a recording made earlier."
    tail -n 1000 tests/data/recorded/memcached.ndjson >"$recording"
fi
say "   What it held before is unknown, and so are the versions that it gives to its items. Could it have answered so?"
expect 0 ": accept (" validate specs/memcached.may "$recording" --set FRESH=false

found=$kept/found
rm -rf "$found"
say "5. A live server: examples/demo_server.py means to follow specs/kv_etag.may. mayhap asks it what comes to its mind:"
if command -v python3 >/dev/null; then
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    expect 1 'only "PreconditionFailed" was possible' test specs/kv_etag.may --sut "127.0.0.1:$port" \
        --start "python3 examples/demo_server.py $port" --clients 1 --seed "${SEED:-1}" --regressions "$found"
    say "   A weak tag must not satisfy if_match, and this server lets it. The script is kept; it fails again, with other tags:"
    expect 1 "fails 3 of 3" replay "$found"/*.ndjson --sut "127.0.0.1:$port" --start "python3 examples/demo_server.py $port" --times 3
    live="a live server in Python caught by three requests"
else
    echo "python3 is not installed here (apt-get install python3): there is no server to test."
    live="no live server, as python3 is missing"
fi

printf '\nmake demo: shown: compare-and-reset accepted and rejected with its reason; %s accepted, and rejected with its reason when one answer is changed; memcached accepted from an unknown start; %s\n' "$shown" "$live"
