#!/usr/bin/env bash
# Licences, bans and sources of what Cargo.lock names (deny.toml), where cargo-deny is installed; advisories too where
# they have been fetched before (`cargo deny fetch`), and those of Python's packages where pip-audit is installed and
# reaches an index. CI does all of it in a job of its own; scripts/check_layers.py holds the bans everywhere, and
# scripts/check_licenses.py the licences.
set -euo pipefail
cd "$(dirname "$0")/.."

if cargo deny --version > /dev/null 2>&1; then
    cargo deny --offline --locked --log-level error check licenses bans sources
    if [ -d "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" ]; then
        cargo deny --offline --locked --log-level error check advisories
    fi
fi
if [ -x .venv/bin/pip-audit ]; then
    .venv/bin/pip-audit --local --skip-editable --progress-spinner off
fi
