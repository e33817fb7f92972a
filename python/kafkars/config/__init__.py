"""Settings as frozen dataclasses: `ProducerConfig` and `ConsumerConfig` share the fields of `ClientConfig`."""

from __future__ import annotations

from kafkars.config.client import ClientConfig
from kafkars.config.consumer import ConsumerConfig
from kafkars.config.producer import ProducerConfig

__all__ = ["ClientConfig", "ConsumerConfig", "ProducerConfig"]
