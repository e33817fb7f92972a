"""Names of kafka-python that this face does not have, and their alternatives."""

from __future__ import annotations

NOT_OFFERED = {
    "cli": "python -m kafkars is a command",
    "client_async": "connections are the engine's; kafkars.Admin asks brokers",
    "cluster": "kafkars.Consumer.topics() and partitions_for() tell of the cluster",
    "conn": "connections are the engine's",
    "coordinator.assignors.cooperative_sticky": 'it is in kafka-python 3: install("kafka", version=3)',
}
"""Modules, and the alternative to each."""

NAMES_NOT_OFFERED = {
    "BrokerConnection": NOT_OFFERED["conn"],
    "KafkaClient": NOT_OFFERED["client_async"],
}
"""Names of the package itself, and the alternative to each."""
