"""Where the face of kafka-python 3 differs: as that of 2.3 does, and where 3 differs from 2.3 itself."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason
from tests.compat.differential.reasons_of_kafka_python import REASONS as OLDER

REASONS: list[Reason] = [
    Reason(
        cases=("KafkaConsumer(security_protocol=odd)", "KafkaProducer(security_protocol=odd)"),
        original="takes a protocol that does not exist, and connects by none",
        face="AssertionError, as 2.3",
        why="It is a mistake of the program.",
    ),
    Reason(
        cases=("KafkaConsumer(partition_assignment_strategy=odd)",),
        original="TypeError for what is no assignor",
        face="takes it until a group is joined, as 2.3",
        why="Programs without a group have no use for it.",
    ),
    *OLDER,
]
