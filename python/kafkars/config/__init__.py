"""Settings as frozen dataclasses: `ProducerConfig`, `ConsumerConfig` and `AdminConfig` share the fields of
`ClientConfig`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from kafkars._late import late
from kafkars.config.names import OWNERS

if TYPE_CHECKING:
    from kafkars.config.admin import AdminConfig
    from kafkars.config.client import ClientConfig
    from kafkars.config.consumer import ConsumerConfig
    from kafkars.config.producer import ProducerConfig

__all__ = ["AdminConfig", "ClientConfig", "ConsumerConfig", "ProducerConfig"]

__getattr__, __dir__ = late(
    __name__,
    {
        "AdminConfig": "kafkars.config.admin",
        "ClientConfig": "kafkars.config.client",
        "ConsumerConfig": "kafkars.config.consumer",
        "ProducerConfig": "kafkars.config.producer",
    },
    ("admin", "client", "consumer", "producer"),
)


def _of_producers() -> Collection[str]:
    from kafkars.config.producer import ProducerConfig  # noqa: PLC0415  most consumers never need it

    return ProducerConfig.CHECKS


def _of_consumers() -> Collection[str]:
    from kafkars.config.consumer import ConsumerConfig  # noqa: PLC0415  nor producers this

    return ConsumerConfig.CHECKS


OWNERS.update(producer=_of_producers, consumer=_of_consumers)
