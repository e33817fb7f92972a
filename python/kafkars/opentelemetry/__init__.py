"""Spans and metrics by the OpenTelemetry API (the extra `kafkars[opentelemetry]`).

```python
from kafkars.opentelemetry import instrument, process

producer = instrument(Producer(bootstrap_servers="localhost:9092"))
```

Names and attributes are those of the semantic conventions for messaging, version 1.44.
"""

from __future__ import annotations

try:
    from kafkars.opentelemetry.instrumenting import instrument, uninstrument
    from kafkars.opentelemetry.processing import process
except ModuleNotFoundError as missing:
    raise ImportError("kafkars.opentelemetry needs the OpenTelemetry API: pip install opentelemetry-api") from missing

__all__ = ["instrument", "process", "uninstrument"]
