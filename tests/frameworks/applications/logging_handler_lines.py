"""kafka-logging-handler: lines of Python's logging go to a topic.

Arguments: bootstrap servers, prefix of topics.
"""

from __future__ import annotations

import json
import logging
import sys

from kafka import KafkaAdminClient, KafkaConsumer
from kafka.admin import NewTopic
from kafka_logger.handlers import KafkaLoggingHandler

SERVERS, PREFIX = sys.argv[1:]
TOPIC = f"{PREFIX}-lines"


def log() -> None:
    handler = KafkaLoggingHandler(
        [SERVERS],
        TOPIC,
        security_protocol="PLAINTEXT",
        kafka_producer_args={"linger_ms": 5},
        additional_fields={"service": "shop"},
        flush_buffer_size=3,
        flush_interval=0.2,
        log_preprocess=[lambda record: {**record, "seen": True}],
    )
    logger = logging.getLogger("shop")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    for number in range(7):
        logger.info("order %d", number, extra={"number": number})
    try:
        int("too much")
    except ValueError:
        logger.exception("an order failed")
    handler.flush()


def read() -> list[object]:
    consumer = KafkaConsumer(
        TOPIC,
        bootstrap_servers=SERVERS,
        auto_offset_reset="earliest",
        value_deserializer=json.loads,
        consumer_timeout_ms=8000,
    )
    values = [next(consumer).value for _ in range(8)]
    consumer.close()
    return sorted([value["message"], value["levelname"], value["service"], value["seen"]] for value in values)


admin = KafkaAdminClient(bootstrap_servers=SERVERS)
admin.create_topics([NewTopic(TOPIC, 1, 1)])
admin.close()
log()
print(json.dumps(read()))
