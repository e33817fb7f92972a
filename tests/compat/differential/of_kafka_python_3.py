"""kafka-python 3: its consumers and producers in their states, with the calls and arguments of 2.3. Only by hand:
`python -m tests.compat.differential kafka_python_3 assigned`.
"""

from __future__ import annotations

from dataclasses import replace

from tests.compat.differential import of_kafka_python as older

CLIENTS = ("KafkaConsumer", "KafkaProducer")

LIBRARY = replace(
    older.LIBRARY,
    face="kafkars.compat.kafka_3",
    kinds=[older.PRODUCER, older.CONSUMER],
    functions=[each for each in older.LIBRARY.functions if each.name in CLIENTS],
    folder=None,
)
