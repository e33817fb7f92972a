#!/usr/bin/env bash
# Runs every fuzz target for a few seconds each, starting from samples of every message and batch.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1

if ! cargo fuzz --version > /dev/null 2>&1; then
    echo "cargo-fuzz is missing: cargo install cargo-fuzz --locked" >&2
    exit 1
fi
# Without sanitizers no nightly toolchain is needed: the code under test has no unsafe block.
export RUSTC_BOOTSTRAP=1
cargo run --quiet --package kafkars-testkit --example fuzz_corpus -- rust/fuzz/corpus
for target in $(cargo fuzz list --fuzz-dir rust/fuzz); do
    echo "fuzzing $target for ${seconds} s"
    cargo fuzz run --sanitizer none --fuzz-dir rust/fuzz "$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1
done
