"""The asyncio producer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, _logging
from kafkars._blocks import asynchronous
from kafkars._discreet import discreet
from kafkars.aio.transaction import Transaction
from kafkars.config.producer import ProducerConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self, Unpack

    from kafkars._typing import KeyIn, ValueIn
    from kafkars.config.client import ClientIdentity
    from kafkars.config.settings import ProducerSettings
    from kafkars.types import Serializer


@asynchronous
class Producer(_kafkars.AsyncProducer["KeyIn", "ValueIn"]):
    """Sends records.

    ```python
    async with Producer(bootstrap_servers="localhost:9092") as producer:
        metadata = await producer.send("orders", b"two apples", key=b"customer 7")
        print(metadata.offset)
    ```

    Three ways to send, for three needs: `await send(...)` gives the record's metadata; `await enqueue(...)` waits only
    until there is room, and gives the future of the delivery; `send_nowait(...)` gives that future and never waits.
    In all of them the record is on its way from the call on, in the order of the calls. Cancelling an await gives up
    waiting, not a record that has entered a batch; one that still waits for its topic or for room is withdrawn.
    Cancelling a step of a transaction gives up waiting for it; cancelling `close()` ends the producer at once.

    Args:
        config: A `ProducerConfig`, or a mapping of settings, which may use Kafka's dotted names. Type checkers do not
            look into it: say what it makes, as in `Producer[str, Order](config)`.
        **settings: Fields of `ProducerConfig`.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
    """

    # No instance dictionary: every call would look there before it finds the native method.
    __slots__ = ("__weakref__", "_identity", "_telemetry")

    _identity: ClientIdentity
    _telemetry: object  # set by kafkars.opentelemetry.instrument() only

    if TYPE_CHECKING:
        # One signature, without overloads: of a wrong setting type checkers name that alone.
        def __new__(  # noqa: D102  editors show what the class says
            cls,
            config: ProducerConfig | Mapping[str, object] | None = None,
            *,
            key_serializer: Callable[[KeyIn], bytes | None] | Serializer[KeyIn] | None = None,
            value_serializer: Callable[[ValueIn], bytes | None] | Serializer[ValueIn] | None = None,
            **settings: Unpack[ProducerSettings],
        ) -> Self: ...
    else:

        @discreet
        def __new__(cls, config: Any = None, **settings: Any) -> Any:
            """See the class."""
            checked = ProducerConfig.of(config, settings)
            _logging.start()
            made = super().__new__(cls, checked)
            made._identity = checked.identity()
            return made

    def __del__(self) -> None:
        self._warn_if_unclosed()

    def transaction(self) -> Transaction:
        """Returns a transaction for one `async with` block: committed when the block ends, aborted when it raises.

        It needs the setting `transactional_id`, and `init_transactions()` once before.
        """
        return Transaction(self)
