#!/usr/bin/env bash
# Licences, bans and sources of what Cargo.lock names (deny.toml), where cargo-deny is installed. CI installs it in a job of
# its own, which asks for advisories too; scripts/check_layers.py holds the bans everywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

if cargo deny --version > /dev/null 2>&1; then
    cargo deny --offline --locked --log-level error check licenses bans sources
fi
