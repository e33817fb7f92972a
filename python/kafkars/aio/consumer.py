"""The asyncio consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from kafkars import _kafkars, _logging
from kafkars.config import ConsumerConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self, Unpack

    from kafkars._typing import K, V
    from kafkars.config.settings import AllConsumerSettings, ConsumerSettings


class Consumer(_kafkars.AsyncConsumer["K", "V"]):
    """Reads records of assigned partitions.

    ```python
    async with Consumer(bootstrap_servers="localhost:9092", auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("orders", 0)])
        async for record in consumer:
            print(record.offset, record.value)
    ```

    Fetching goes on in the background; what has arrived is handed over without suspending. A record is taken at the
    moment the awaiting task gets it: cancelling a task loses none.

    Args:
        config: A `ConsumerConfig`, or a mapping of settings, which may use Kafka's dotted names.
        **settings: Fields of `ConsumerConfig`.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
    """

    # No instance dictionary: every call would look into it before it finds the native method.
    __slots__ = ("__weakref__",)

    @overload
    def __new__(
        cls, config: ConsumerConfig | Mapping[str, object], /, **settings: Unpack[AllConsumerSettings]
    ) -> Self: ...
    @overload
    def __new__(cls, /, **settings: Unpack[ConsumerSettings]) -> Consumer[bytes, bytes]: ...
    @overload
    def __new__(
        cls, /, *, key_deserializer: Callable[[bytes], K], **settings: Unpack[ConsumerSettings]
    ) -> Consumer[K, bytes]: ...
    @overload
    def __new__(
        cls, /, *, value_deserializer: Callable[[bytes], V], **settings: Unpack[ConsumerSettings]
    ) -> Consumer[bytes, V]: ...
    @overload
    def __new__(
        cls,
        /,
        *,
        key_deserializer: Callable[[bytes], K],
        value_deserializer: Callable[[bytes], V],
        **settings: Unpack[ConsumerSettings],
    ) -> Consumer[K, V]: ...
    def __new__(cls, config: ConsumerConfig | Mapping[str, object] | None = None, /, **settings: Any) -> Any:
        """See the class."""
        checked = ConsumerConfig.of(config, settings)
        _logging.start()
        return super().__new__(cls, checked)
