"""Tools for tests of programs that use Kafka: a broker inside the test process, fault injection, records."""

from __future__ import annotations

from kafkars._kafkars import SeenRequest
from kafkars.testing.broker import EmbeddedBroker, EmbeddedCluster
from kafkars.testing.certificates import Certificate, Certificates
from kafkars.testing.clock import Clock
from kafkars.testing.faults import Fault
from kafkars.testing.records import record, record_metadata
from kafkars.testing.security import Acl, Listener, unsecured_token
from kafkars.testing.stored import StoredRecord

__all__ = [
    "Acl",
    "Certificate",
    "Certificates",
    "Clock",
    "EmbeddedBroker",
    "EmbeddedCluster",
    "Fault",
    "Listener",
    "SeenRequest",
    "StoredRecord",
    "record",
    "record_metadata",
    "unsecured_token",
]
