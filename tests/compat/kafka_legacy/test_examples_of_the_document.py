"""Each example of the document of 0.9.5 as a program of its own: it imports `kafka`, and runs on the face.

`async=True` is said as `async_=True`; loops without end have an end; topics and addresses are those of the test.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import Broker

BEGINNING = """
import logging, os, sys
from kafkars.compat import install

install("kafka", version="0.9.5")
SERVERS, TOPIC, GROUP = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
"""

FILLED = """
from kafka import SimpleProducer, KafkaClient
filler = SimpleProducer(KafkaClient(SERVERS), random_start=False)
for partition in range(3):
    filler.send_messages(TOPIC, *[b"%d-%d" % (partition, number) for number in range(4)])
"""

EXAMPLES = {
    "a producer": (
        """
from kafka import SimpleProducer, KafkaClient

kafka = KafkaClient(SERVERS)
producer = SimpleProducer(kafka)
first = producer.send_messages(TOPIC, b"some message")
second = producer.send_messages(TOPIC, b"this method", b"is variadic")
third = producer.send_messages(TOPIC, "\u4f60\u600e\u4e48\u6837?".encode("utf-8"))
print([len(each) for each in (first, second, third)], [each[0].error for each in (first, second, third)])
""",
        "[1, 1, 1] [0, 0, 0]",
    ),
    "an asynchronous producer": (
        """
from kafka import SimpleProducer, KafkaClient

kafka = KafkaClient(SERVERS)
producer = SimpleProducer(kafka, async_=True)
print(producer.send_messages(TOPIC, b"async message"))
producer.stop()
""",
        "[]",
    ),
    "acknowledgements": (
        """
from kafka import SimpleProducer, KafkaClient

kafka = KafkaClient(SERVERS)
producer = SimpleProducer(
    kafka, async_=False, req_acks=SimpleProducer.ACK_AFTER_LOCAL_WRITE, ack_timeout=2000, sync_fail_on_error=False
)
for response in producer.send_messages(TOPIC, b"another message"):
    logging.info(response.offset)
    print(response.offset)
producer = SimpleProducer(kafka, req_acks=SimpleProducer.ACK_AFTER_CLUSTER_COMMIT)
print(producer.send_messages(TOPIC, b"another message")[0].error)
""",
        "0\n0",
    ),
    "batches": (
        """
from kafka import SimpleProducer, SimpleConsumer, KafkaClient

kafka = KafkaClient(SERVERS)
producer = SimpleProducer(kafka, async_=True, batch_send_every_n=20, batch_send_every_t=60)
for number in range(25):
    producer.send_messages(TOPIC, b"message")
producer.stop()
print(SimpleConsumer(kafka, GROUP, TOPIC).pending())
""",
        "25",
    ),
    "keys": (
        """
from kafka import KafkaClient, KeyedProducer, Murmur2Partitioner, RoundRobinPartitioner

kafka = KafkaClient(SERVERS)
producer = KeyedProducer(kafka)
producer.send_messages(TOPIC, b"key1", b"some message")
producer.send_messages(TOPIC, b"key2", b"this methode")
producer = KeyedProducer(kafka, partitioner=Murmur2Partitioner)
print([producer.send_messages(TOPIC, b"key%d" % number, b"message")[0].partition for number in range(6)])
producer = KeyedProducer(kafka, partitioner=RoundRobinPartitioner)
print([producer.send_messages(TOPIC, b"key", b"message")[0].partition for _ in range(4)])
""",
        "[1, 2, 2, 1, 0, 1]\n[0, 1, 2, 0]",
    ),
    "a consumer": (
        FILLED
        + """
from itertools import islice
from kafka import KafkaConsumer

consumer = KafkaConsumer(TOPIC.decode(), group_id=GROUP.decode(), bootstrap_servers=[SERVERS], auto_offset_reset="smallest")
found = []
for message in islice(consumer, 12):
    found.append("%s:%d:%d: key=%s value=%s" % (
        message.topic == TOPIC, message.partition, message.offset, message.key, message.value.decode("utf-8")))
print(sorted(found)[0], len(found))
""",
        "True:0:0: key=None value=0-0 12",
    ),
    "offsets that are managed": (
        FILLED
        + """
from kafka import KafkaConsumer
from kafka.common import ConsumerTimeout

consumer = KafkaConsumer(
    TOPIC, bootstrap_servers=[SERVERS], group_id=GROUP, auto_commit_enable=True, auto_commit_interval_ms=30 * 1000,
    auto_offset_reset="smallest", consumer_timeout_ms=500)
try:
    for m in consumer:
        consumer.task_done(m)
except ConsumerTimeout:
    print("timed out")
print(consumer.commit())
print(list(consumer.offsets("commit").values()))
filler.send_messages(TOPIC, b"one more")
for _ in range(3):
    for m in consumer.fetch_messages():
        consumer.task_done(m)
print(consumer.commit())
""",
        "timed out\nTrue\n[4, 4, 4]\nTrue",
    ),
    "all settings": (
        """
from kafka import KafkaConsumer

consumer = KafkaConsumer(
    TOPIC, client_id="kafka.consumer.kafka", group_id=None, fetch_message_max_bytes=1024 * 1024, fetch_min_bytes=1,
    fetch_wait_max_ms=100, refresh_leader_backoff_ms=200, bootstrap_servers=[SERVERS], socket_timeout_ms=30 * 1000,
    auto_offset_reset="largest", deserializer_class=lambda msg: msg, auto_commit_enable=False,
    auto_commit_interval_ms=60 * 1000, consumer_timeout_ms=-1)
print(list(consumer.fetch_messages()))
""",
        "[]",
    ),
    "what to read": (
        FILLED
        + """
from kafka import KafkaConsumer

kafka = KafkaConsumer(bootstrap_servers=SERVERS, auto_offset_reset="smallest")
topic = TOPIC.decode()
kafka.set_topic_partitions((topic, 2), {topic: 0})
print(sorted(place[1] for place in kafka.offsets("fetch")))
kafka.set_topic_partitions((topic, 0, 1), (topic, 1, 3))
print(sorted(kafka.offsets("fetch").values()))
kafka.set_topic_partitions({(topic, 0): 2, (topic, 1): 3})
print(sorted((m.partition, m.offset) for m in kafka.fetch_messages()))
""",
        "[0, 2]\n[1, 3]\n[(0, 2), (0, 3), (1, 3)]",
    ),
    "several processes": (
        FILLED
        + """
from kafka import KafkaClient, MultiProcessConsumer

if __name__ == "__main__":
    kafka = KafkaClient(SERVERS)
    consumer = MultiProcessConsumer(kafka, GROUP, TOPIC, num_procs=2)
    print(len(consumer.procs), len([message for message in consumer]))
    consumer.stop()
    consumer = MultiProcessConsumer(kafka, GROUP + b"-other", TOPIC, partitions_per_proc=2)
    print(len(consumer.procs), len(consumer.get_messages(count=5, block=True, timeout=20)))
    consumer.stop()
""",
        "2 12\n2 5",
    ),
    "low level": (
        """
from kafka import KafkaClient, create_message
from kafka.protocol import KafkaProtocol
from kafka.common import ProduceRequest

kafka = KafkaClient(SERVERS)
req = ProduceRequest(topic=TOPIC, partition=1, messages=[create_message(b"some message")])
resps = kafka.send_produce_request(payloads=[req], fail_on_error=True)
kafka.close()
print(resps[0].topic == TOPIC, resps[0].partition, resps[0].error, resps[0].offset)
""",
        "True 1 0 0",
    ),
    "a context": (
        FILLED
        + """
from kafka import KafkaClient, SimpleConsumer
from kafka.context import OffsetCommitContext

client = KafkaClient(SERVERS)
consumer = SimpleConsumer(client, GROUP, TOPIC, auto_commit=False)
consumer.provide_partition_info()
consumer.fetch_last_known_offsets()
done = 0
while done < 12:
    with OffsetCommitContext(consumer) as context:
        for partition, message in consumer.get_messages(count=5, block=False):
            if done >= 12:
                break
            context.mark(partition, message.offset)
            done += 1
        if not context:
            print("nothing was marked")
print(consumer.offsets, consumer.pending())
""",
        "{0: 4, 1: 4, 2: 4} 0",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_runs(broker: Broker, tmp_path: Path, group: Any, name: str) -> None:
    text, expected = EXAMPLES[name]
    program = tmp_path / "program.py"
    program.write_text(BEGINNING + text, encoding="utf-8")
    arguments = [sys.executable, str(program), broker.bootstrap_servers, broker.new_topic(partitions=3), group()]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=55, check=False)
    assert (run.stdout.strip(), run.stderr) == (expected, "")
