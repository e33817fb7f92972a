#!/usr/bin/env bash
# Runs a command whose output matters only when it fails: `quietly.sh "building it" COMMAND...`. What takes long says
# so.
set -uo pipefail
what=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$@" > "$log" 2>&1 &
command=$!
trap 'kill "$command" 2> /dev/null' INT TERM
next=2
while kill -0 "$command" 2> /dev/null; do
    if ((SECONDS >= next)); then
        ((next == 2)) && echo "$what" || echo "$what: $SECONDS s so far"
        next=$((next == 2 ? 30 : next + 30))
    fi
    sleep 0.1
done
wait "$command"
code=$?
((code == 0)) || cat "$log" >&2
exit "$code"
