"""Settings of `KafkaAdminClient`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkars.compat.kafka import _settings
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.version import __version__

ELSEWHERE = {"allow_auto_create_topics", "metrics_enabled", "ssl_ciphers"}
"""Settings of other clients that an administrator of kafka-python does not have."""

DEFAULTS: dict[str, Any] = {
    **{name: value for name, value in _settings.SHARED.items() if name not in ELSEWHERE},
    "client_id": "kafka-python-" + __version__,
}


def checked(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all settings: the defaults and those given.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings do not go together.
    """
    given = _settings.without_those_of_2_0(given, defaults)
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise KafkaConfigurationError(f"Unrecognized configs: {', '.join(unknown)}")
    config = {**defaults, **given}
    _settings.check_version(config)
    _settings.check_security({**_settings.SHARED, **config})
    return config


def of_engine(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of `kafkars.Admin`."""
    settings = _settings.shared({**_settings.SHARED, **config})
    # An administration client creates topics by a call only.
    del settings["allow_auto_create_topics"]
    return {**settings, "default_api_timeout_ms": _settings.milliseconds(config["request_timeout_ms"])}
