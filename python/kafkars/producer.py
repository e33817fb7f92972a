"""The synchronous producer."""

# Made of kafkars/aio/producer.py by scripts/check_twins.py (`make generate-twins`): change that one.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, _logging
from kafkars._blocks import synchronous
from kafkars._discreet import discreet
from kafkars.config.producer import ProducerConfig
from kafkars.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self, Unpack

    from kafkars._typing import KeyIn, ValueIn
    from kafkars.config.client import ClientIdentity
    from kafkars.config.settings import ProducerSettings
    from kafkars.types import Serializer


@synchronous
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
        """Returns a transaction for one `with` block: committed when the block ends, aborted when it raises.

        It needs the setting `transactional_id`, and `init_transactions()` once before.
        """
        return Transaction(self)
