"""An in-memory Kafka cluster that any client can reach over TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkars import _kafkars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self


class EmbeddedBroker(_kafkars.EmbeddedBroker):
    """A Kafka cluster in this process.

    ```python
    with EmbeddedBroker(topics={"orders": 3}) as broker:
        producer = Producer(bootstrap_servers=broker.bootstrap_servers)
    ```

    Args:
        nodes: How many brokers it has.
        port: Port of the first; the next ones follow. 0 takes free ports.
        topics: Topics that are there from the start, with their numbers of partitions.
        auto_create_topics: Whether a client that asks for an unknown topic creates it.
        default_partitions: Partitions of topics that are created without saying how many.
        topic_defaults: Settings of all topics, by Kafka's names (`"max.message.bytes": "1000"`).
        advertised_host: Host told to clients instead of the real one, right or wrong.
        advertised_port: Port told to clients instead of the real one, right or wrong.

    Raises:
        ConfigError: A setting makes no sense.
        OSError: A port is taken.
    """

    def __new__(
        cls,
        *,
        nodes: int = 1,
        port: int = 0,
        topics: Mapping[str, int] | None = None,
        auto_create_topics: bool = True,
        default_partitions: int = 1,
        topic_defaults: Mapping[str, str] | None = None,
        advertised_host: str | None = None,
        advertised_port: int | None = None,
    ) -> Self:
        """See the class."""
        return super().__new__(
            cls,
            nodes=nodes,
            port=port,
            topics=[(name, partitions, []) for name, partitions in (topics or {}).items()],
            auto_create_topics=auto_create_topics,
            default_partitions=default_partitions,
            topic_defaults=list((topic_defaults or {}).items()),
            advertised_host=advertised_host,
            advertised_port=advertised_port,
        )

    def create_topic(
        self, name: str, partitions: int | None = None, *, configs: Mapping[str, str] | None = None
    ) -> None:
        """Creates a topic, as an administrator would.

        Raises:
            BrokerError: A client would be refused, with the class of the code it would get.
        """
        self._create_topic(name, partitions, list((configs or {}).items()))

    def intercept(
        self,
        api: str,
        action: str,
        *,
        seconds: float = 0.0,
        times: int | None = None,
        node: int | None = None,
    ) -> None:
        """Sets a fault for requests to come.

        Args:
            api: Kafka's name of the request: "Produce", "Fetch", "Metadata".
            action: "delay" (by `seconds`), "drop" (no answer), "disconnect" (no effect), "disconnect_after" (has its
                effect, but no answer), or the name of an error code to answer with.
            seconds: How long a delay is.
            times: How many requests it is for; None for all.
            node: Only requests to this broker.
        """
        self._intercept(api, action, seconds, times, node)
