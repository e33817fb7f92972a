"""The synchronous producer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkars import _kafkars, _logging
from kafkars.config import ProducerConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self, Unpack

    from kafkars._typing import KeyIn, ValueIn  # noqa: F401  named as text below: at run time there is nothing to import
    from kafkars.config.settings import ProducerSettings


class Producer(_kafkars.Producer["KeyIn", "ValueIn"]):
    """Sends records.

    ```python
    with Producer(bootstrap_servers="localhost:9092") as producer:
        delivery = producer.send("orders", b"two apples", key=b"customer 7")
        print(delivery.result().offset)
    ```

    Records are collected into batches and sent in the background. Leaving the `with` block waits until all are
    acknowledged. Several threads may share a producer.

    Args:
        config: A `ProducerConfig`, or a mapping of settings, which may use Kafka's dotted names.
        **settings: Fields of `ProducerConfig`.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
    """

    # No instance dictionary: every call would look into it before it finds the native method.
    __slots__ = ("__weakref__",)

    def __new__(
        cls, config: ProducerConfig | Mapping[str, object] | None = None, /, **settings: Unpack[ProducerSettings]
    ) -> Self:
        """See the class."""
        checked = ProducerConfig.of(config, settings)
        _logging.start()
        return super().__new__(cls, checked)
