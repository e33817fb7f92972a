"""Each program tells the same on the embedded broker as on real Kafka, with the original libraries."""

from __future__ import annotations

import pytest

from tests.brokers import Broker
from tests.compat.programs import session


# The first test of each library waits for all of its programs.
@pytest.mark.kafka
@pytest.mark.timeout(2 * session.ENOUGH)
@pytest.mark.parametrize(
    ("library", "program"), [(library, name) for library, names in session.PROGRAMS.items() for name in names]
)
def test_the_embedded_broker_is_seen_as_real_kafka(
    library: str, program: str, embedded_broker: Broker, kafka_cluster: Broker
) -> None:
    runs = [(library, "original", broker.bootstrap_servers) for broker in (embedded_broker, kafka_cluster)]
    embedded, real = (outcomes[program] for outcomes in session.compared(*runs))
    assert embedded["end"] == "ended", embedded["end"]
    assert real["end"] == "ended", real["end"]
    assert embedded["told"]
    assert embedded["told"] == real["told"]
