"""What of kafka-python this face does not have, and what to use instead."""

from __future__ import annotations

NOT_OFFERED = {
    "client_async": "connections are the engine's; kafkars.Admin asks brokers",
    "cluster": "kafkars.Consumer.topics() and partitions_for() tell of the cluster",
    "conn": "connections are the engine's",
    "coordinator.assignors.cooperative_sticky": "kafkars.Consumer has partition_assignment_strategy=['cooperative-sticky']",
    "record": "record batches are the engine's; kafkars.Producer.create_batch() fills one by hand",
}
"""Modules, and the alternative to each."""

NAMES_NOT_OFFERED = {
    "BrokerConnection": NOT_OFFERED["conn"],
    "KafkaClient": NOT_OFFERED["client_async"],
}
"""Names of the package itself, and the alternative to each."""
