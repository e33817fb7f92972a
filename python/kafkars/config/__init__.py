"""Settings as frozen dataclasses: `ProducerConfig`, `ConsumerConfig` and `AdminConfig` share the fields of
`ClientConfig`.
"""

from __future__ import annotations

from kafkars.config.admin import AdminConfig
from kafkars.config.client import ClientConfig
from kafkars.config.consumer import ConsumerConfig
from kafkars.config.names import OWNERS
from kafkars.config.producer import ProducerConfig

__all__ = ["AdminConfig", "ClientConfig", "ConsumerConfig", "ProducerConfig"]

OWNERS.update(producer=ProducerConfig.CHECKS, consumer=ConsumerConfig.CHECKS)
