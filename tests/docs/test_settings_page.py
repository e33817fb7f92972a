"""The page of settings says of each where it can be linked to, its default, and the range that is really taken."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.config import AdminConfig, ConsumerConfig, ProducerConfig
from kafkars.config.client import ClientConfig
from kafkars.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "127.0.0.1:1"
CLIENTS = {"producer": kafkars.Producer, "consumer": kafkars.Consumer, "admin": kafkars.Admin, "client": kafkars.Admin}
CONFIGS = {"producer": ProducerConfig, "consumer": ConsumerConfig, "admin": AdminConfig, "client": ClientConfig}

ROW = re.compile(r"\| \[`(\w+)`\]\(#((\w+)-\w+)\)\{ #([\w-]+) .setting \} \| `(.*?)` \| `(.*?)` \| (.*?) \| (.*) \|")
RANGE = re.compile(r"(above )?(-?[\d,]+)(?: to ([\d,]+)| or more)?(?: (ms|bytes))?(, or None)?")

FITTING: dict[str, dict[str, Any]] = {
    "reconnect_backoff_ms": {"reconnect_backoff_max_ms": 2**53},
    "reconnect_backoff_max_ms": {"reconnect_backoff_ms": 0},
    "retry_backoff_ms": {"retry_backoff_max_ms": 2**53},
    "retry_backoff_max_ms": {"retry_backoff_ms": 0},
    "linger_ms": {"delivery_timeout_ms": 2**53, "request_timeout_ms": 0.001},
    "delivery_timeout_ms": {"linger_ms": 0, "request_timeout_ms": 0.001},
    "buffer_memory": {"max_request_size": 1},
    "max_request_size": {"buffer_memory": 2**40},
    "max_in_flight_requests_per_connection": {"enable_idempotence": False},
    "transaction_timeout_ms": {"transactional_id": "t"},
    "compression_level": {"compression_type": "zstd"},
    "fetch_min_bytes": {"fetch_max_bytes": 2**31 - 1},
    "fetch_max_bytes": {"fetch_min_bytes": 0},
    "session_timeout_ms": {"group_id": "g", "heartbeat_interval_ms": 1},
    "heartbeat_interval_ms": {"group_id": "g", "session_timeout_ms": 2**31 - 1},
    "max_poll_interval_ms": {"group_id": "g"},
    "auto_commit_interval_ms": {"group_id": "g"},
}
"""What else is said where a setting stands at a limit: others must fit it."""

# One must be smaller than the other, and both have the same range.
NARROWER = {"session_timeout_ms": (2, None), "heartbeat_interval_ms": (None, 2**31 - 2)}


def rows() -> dict[str, tuple[str, ...]]:
    """Rows of the page as it is built, by their anchors: setting, client, anchor, type, default, range, meaning."""
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    page = hooks.on_page_markdown((ROOT / "docs" / "reference" / "settings.md").read_text())
    lines = [line for line in page.splitlines() if line.startswith("| [")]
    found = [ROW.fullmatch(line) for line in lines]
    assert None not in found, [line for line, row in zip(lines, found, strict=True) if row is None]
    return {row[2]: (row[1], row[3], row[4], row[5], row[6], row[7], row[8]) for row in found if row is not None}


ROWS = rows()
NUMBERS = [anchor for anchor, row in ROWS.items() if row[3].split(" | ")[0] in {"int", "float"}]


def test_each_setting_has_a_row_that_can_be_linked_to() -> None:
    own = {
        f"{client}-{name}"
        for client, config in CONFIGS.items()
        for name in vars(config)["__annotations__"]
        if name != "CHECKS"
    }
    assert set(ROWS) == own
    assert all(anchor == row[2] for anchor, row in ROWS.items())


@pytest.mark.parametrize("anchor", ROWS)
def test_its_default_is_the_real_one(anchor: str) -> None:
    name, client, _, _, default, _, _ = ROWS[anchor]
    config = CONFIGS[client](bootstrap_servers=NOWHERE)
    if default != "required":
        assert config.CHECKS[name](name, eval(default)) == getattr(config, name)  # noqa: S307  of our own source


@pytest.mark.parametrize("anchor", NUMBERS)
def test_its_range_is_the_real_one(anchor: str) -> None:
    name, client, _, kind, _, told, _ = ROWS[anchor]
    found = RANGE.fullmatch(told)
    assert found is not None, f"{name}: no range, but {told!r}"
    assert (found[4] == "ms") == name.endswith("_ms")
    assert (found[5] is not None) == kind.endswith("None")
    least = float(found[2].replace(",", "")) + (0.001 if found[1] else 0)
    most = float(found[3].replace(",", "")) if found[3] else None
    lowest, highest = NARROWER.get(name, (None, None))
    whole = kind.startswith("int")
    for value in (least if lowest is None else lowest, most if highest is None else highest):
        if value is not None:
            made(client, name, int(value) if whole else value)
    for value, said in ((least - 1, found[2]), (None if most is None else most + 1, found[3])):
        if value is not None:
            with pytest.raises(ConfigError, match=rf"^{name}: must be .*{said.replace(',', '')}"):
                made(client, name, int(value) if whole else value)


def made(client: str, name: str, value: float) -> None:
    """Makes a client with one setting at a value."""
    CLIENTS[client](bootstrap_servers=NOWHERE, **{**FITTING.get(name, {}), name: value}).close(0)
