#!/usr/bin/env bash
# Instructions an exchange, counted by callgrind: they must not grow with the trace. Fails if 1,000,000 exchanges cost
# more than 2 % more each than 100,000 (5 % from 10,000 to 100,000 if a state grows first).
set -euo pipefail
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed, nothing is counted"; exit 0; }
bench=$(cargo bench --bench throughput --no-run 2>&1 | sed -n 's/.*(\(.*throughput.*\))/\1/p')
count() {
    valgrind --tool=callgrind --toggle-collect='*judge_all*' --callgrind-out-file=/dev/null "$bench" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
# grows WORKLOAD SHORT LONG PERCENT
grows() {
    local short long
    short=$(($(count "$1" "$2") / $2))
    long=$(($(count "$1" "$3") / $3))
    echo "$1: $short instructions an exchange at $2 exchanges, $long at $3"
    [ $((long * 100)) -le $((short * (100 + $4))) ] || { echo "instructions: $1 grows with the trace"; exit 1; }
}
for workload in cmp_rst register; do grows "$workload" 100000 1000000 2; done
# A state of some size takes a while to become what it is from then on, and longer to count.
for workload in kv_etag_100; do grows "$workload" 10000 100000 5; done
