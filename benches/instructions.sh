#!/usr/bin/env bash
# Instructions an exchange, counted by callgrind: they must not grow with the trace. Fails where 100,000 exchanges cost
# more than 5 % more each than 10,000.
set -euo pipefail
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed, nothing is counted"; exit 0; }
bench=$(cargo bench --bench throughput --no-run 2>&1 | sed -n 's/.*(\(.*throughput.*\))/\1/p')
count() {
    valgrind --tool=callgrind --toggle-collect='*judge_all*' --callgrind-out-file=/dev/null "$bench" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
for workload in cmp_rst kv_etag_100; do
    short=$(($(count "$workload" 10000) / 10000))
    long=$(($(count "$workload" 100000) / 100000))
    echo "$workload: $short instructions an exchange at 10,000 exchanges, $long at 100,000"
    [ $((long * 100)) -le $((short * 105)) ] || { echo "instructions: $workload grows with the trace"; exit 1; }
done
