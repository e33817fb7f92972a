"""Bytewax: a dataflow from one topic to another through the connector's operators, up to the end of the topic.

Arguments: bootstrap servers, prefix of topics.
"""

from __future__ import annotations

import json
import sys

import bytewax.operators as op
from bytewax.connectors.kafka import KafkaSinkMessage, KafkaSource
from bytewax.connectors.kafka import operators as kop
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

SERVERS, PREFIX = sys.argv[1:]
BROKERS = [SERVERS]
LINES, UPPER = f"{PREFIX}-lines", f"{PREFIX}-upper"


def create_topics() -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": SERVERS})
    for future in admin.create_topics([NewTopic(LINES, 2, 1), NewTopic(UPPER, 1, 1)]).values():
        future.result(30)


def fill() -> None:
    flow = Dataflow("fill")
    numbers = op.input("numbers", flow, TestingSource(range(10)))
    messages = op.map("message", numbers, lambda n: KafkaSinkMessage(b"%d" % (n % 3), b"line %d" % n))
    kop.output("lines", messages, brokers=BROKERS, topic=LINES)
    run_main(flow)


def convert() -> None:
    flow = Dataflow("convert")
    lines = kop.input("lines", flow, brokers=BROKERS, topics=[LINES], tail=False)
    upper = op.map("convert", lines.oks, lambda message: KafkaSinkMessage(message.key, message.value.upper()))
    kop.output("upper", upper, brokers=BROKERS, topic=UPPER)
    run_main(flow)


def read() -> list[object]:
    found: list[object] = []
    flow = Dataflow("read")
    lines = op.input("lines", flow, KafkaSource(BROKERS, [UPPER], tail=False))
    told = op.map(
        "told", lines, lambda m: (m.key.decode(), m.value.decode(), m.topic.removeprefix(PREFIX), m.partition)
    )
    op.output("found", told, TestingSink(found))
    run_main(flow)
    return found


create_topics()
fill()
convert()
print(json.dumps(sorted(read())))
