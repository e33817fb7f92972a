#!/usr/bin/env bash
# Makes a virtual environment with the first Python >= 3.10 that can: `python3`, or a versioned name.
# PYTHON=/path/to/python chooses one.
set -euo pipefail
venv=$1

suits() {
    "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' > /dev/null 2>&1
}

for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
    if suits "$candidate"; then
        echo "making $venv with $("$candidate" --version)"
        "$candidate" -m venv "$venv"
        # Dependency groups (pip install --group) came with pip 25.1.
        "$venv/bin/python" -m pip install --quiet --upgrade 'pip>=25.1' || {
            echo "pip could not upgrade itself; is a package index reachable?" >&2
            exit 1
        }
        exit 0
    fi
done
echo "no Python >= 3.10 with the venv module found (Debian: apt install python3-venv); set PYTHON=..." >&2
exit 1
