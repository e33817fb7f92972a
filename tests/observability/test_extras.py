"""Who does not ask for traces and metrics pays nothing for them."""

from __future__ import annotations

import subprocess
import sys

import pytest


def ran(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], timeout=50, check=False, capture_output=True, text=True)


def test_importing_kafkars_imports_neither() -> None:
    done = ran(
        "import sys, kafkars, kafkars.aio, kafkars.admin; "
        "print([name for name in sys.modules if 'opentelemetry' in name or 'prometheus' in name])"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("module", "missing", "package"),
    [
        ("kafkars.opentelemetry", "opentelemetry", "opentelemetry-api"),
        ("kafkars.prometheus", "prometheus_client", "prometheus_client"),
    ],
)
def test_what_is_missing_is_said_with_its_package(module: str, missing: str, package: str) -> None:
    """Of the extra `kafkars[...]` a public index may know another package of that name."""
    done = ran(f"import sys; sys.modules[{missing!r}] = None; import {module}")
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError")
    assert last.endswith(f"pip install {package}")


def test_figures_are_described_with_their_own_words() -> None:
    from kafkars.metrics import ConnectionMetrics, ConsumerMetrics, ProducerMetrics, described
    from kafkars.opentelemetry.figures import GROUPS

    assert list(GROUPS.values()) == [described(each) for each in (ProducerMetrics, ConsumerMetrics, ConnectionMetrics)]
