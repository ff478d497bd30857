#!/bin/sh
# Guess: once a file has the same contents in both replicas, a synchronizer has nothing to do: Unison ends with exit code 0, as its manual
# says of paths "that have been updated on both replicas, but whose current values are identical".
# True: with the fast check, after one replica was changed to these contents with its size and modification time kept, Unison copies the
# other replica's file over it, notices that the contents are not those of its archive, fails with exit code 2, and leaves its temporary
# file in the replica. The next run ends with 0 and removes nothing. Without the fast check the first run ends with 0.
# Source: unison-2.52 2.52.1-1 of Debian 12.
# It matters to who tests synchronizers: exit code 2 does not mean that the replicas differ, nor 0 that they hold the user's files only.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
cd "$there"
apt-get download -qq unison-2.52=2.52.1-1 >/dev/null
dpkg -x unison-2.52_*.deb installed
run() {
    code=0
    HOME=$there/home UNISON=$there/home UNISONLOCALHOSTNAME=localhost \
        installed/usr/bin/unison-2.52 "$there/a" "$there/b" -batch -ui text -logfile "$there/log" -fastcheck "$1" >output 2>&1 </dev/null || code=$?
    echo "$code"
}
put() {
    printf %s "$2" >"$1"
    touch -d "@$3" "$1"
}
HOME=$there installed/usr/bin/unison-2.52 -version
for check in true false; do
    rm -rf a b home
    mkdir a b home
    put a/file 1 1700000010
    first=$(run $check)
    put a/file 2 1700000010 # the size and the time are those of before
    put b/file 2 1700000020
    second=$(run $check)
    cmp a/file b/file
    third=$(run $check)
    left=$(ls -A a b | grep -c '^\.unison\.' || true)
    echo "fast check $check: exit codes $first, $second, $third, temporary files left: $left"
    case $check in
    true) test "$first $second $third $left" = "0 2 0 1" ;;
    false) test "$first $second $third $left" = "0 0 0 0" ;;
    esac
done
