"""Properties that librdkafka accepts and does not list."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._properties.property import FLAG, INTEGER, NO_EFFECT, REFUSED, TEXT, Property

TESTS = "librdkafka's own mock cluster; `kafkars.testing.EmbeddedBroker` is a broker for tests"

HIDDEN = (
    Property("client.software.name", "*", TEXT, "", NO_EFFECT, "brokers are told the engine's name"),
    Property("client.software.version", "*", TEXT, "", NO_EFFECT, "brokers are told the engine's version"),
    Property(
        "enable.sparse.connections", "*", FLAG, "true", NO_EFFECT, "only brokers that are needed are connected to"
    ),
    Property(
        "metadata.request.timeout.ms",
        "*",
        INTEGER,
        "60000",
        NO_EFFECT,
        "requests for metadata have the limit of all requests, `socket.timeout.ms`",
        limits=(10, 900000),
    ),
    Property("test.mock.num.brokers", "*", INTEGER, "0", REFUSED, TESTS, limits=(0, 10000)),
    Property("test.mock.broker.rtt", "*", INTEGER, "0", NO_EFFECT, TESTS, limits=(0, 3600000)),
)
