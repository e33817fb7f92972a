#!/usr/bin/env bash
# Runs every fuzz target for a few seconds each, from the corpus in rust/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../rust/fuzz"
seconds=$1

if ! cargo fuzz --version > /dev/null 2>&1; then
    echo "cargo-fuzz is missing: cargo install cargo-fuzz (and rustup toolchain install nightly)" >&2
    exit 1
fi
for target in $(cargo +nightly fuzz list); do
    echo "fuzzing $target for ${seconds} s"
    cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1
done
