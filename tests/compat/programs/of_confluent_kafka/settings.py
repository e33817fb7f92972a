"""Settings, errors of settings, values, and callbacks of the client itself."""

from __future__ import annotations

import json
import logging

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    libversion,
    version,
)
from confluent_kafka.serialization import (
    DoubleDeserializer,
    DoubleSerializer,
    IntegerDeserializer,
    IntegerSerializer,
    SerializationError,
    StringDeserializer,
    StringSerializer,
)

from tests.compat.programs.case import Case


def wrong_settings(case: Case) -> None:
    for settings in (
        {"no.such.setting": 1},
        {"linger.ms": "soon"},
        {"linger.ms": -5},
        {"acks": "most"},
        {"compression.type": "zip"},
        {"bootstrap_servers": "x"},
        {"error_cb": "not callable"},
        {"on_delivery": 5},
        {"partitioner": "alphabetic"},
        {"enable.idempotence": True, "acks": 1},
        {"retries": "x"},
    ):
        try:
            Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, **settings})
        except (KafkaException, TypeError, ValueError) as error:
            case.tell(list(settings), error)
        else:
            case.tell(list(settings), "taken")
    for settings in ({}, {"group.id": "g", "on_commit": 5}, {"group.id": "g", "auto.offset.reset": "middle"}):
        try:
            Consumer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, **settings})
        except (KafkaException, TypeError, ValueError) as error:
            case.tell(list(settings), error)
    case.raised(Producer, 5)


def both_ways(case: Case) -> None:
    producer = Producer({"bootstrap.servers": "127.0.0.1:1"}, **{"bootstrap.servers": case.servers})
    topic = case.topic()
    producer.produce(topic, b"keywords win")
    case.tell(producer.flush(20))
    for yes in (True, "true", 1):
        Producer({"bootstrap.servers": case.servers, "enable.idempotence": yes})


def values_of_the_library(case: Case) -> None:
    partition = TopicPartition("t", 3)
    case.tell(repr(partition), str(partition), partition.offset, partition.error, partition.metadata)
    case.tell(
        partition == TopicPartition("t", 3, 99),
        partition < TopicPartition("t", 4),
        hash(partition) == hash(TopicPartition("t", 3)),
    )
    case.tell(len({partition, TopicPartition("t", 3, 7)}))
    error = KafkaError(KafkaError._TIMED_OUT)
    # Texts are each library's own.
    case.tell(
        error.code(), error.name(), bool(error.str()), error == KafkaError._TIMED_OUT, error.fatal(), error.retriable()
    )
    case.tell(
        repr(error).startswith("KafkaError{code=_TIMED_OUT,val=-185,str="), str(KafkaException(error)) == repr(error)
    )
    case.tell(repr(KafkaError(3, "own text")), KafkaError(-195).name(), KafkaError(36).name())
    case.tell(isinstance(version(), (str, tuple)), isinstance(libversion(), tuple))
    try:
        raise KafkaException(error)
    except KafkaException as caught:
        case.tell(caught.args[0] is error)


def nobody_there(case: Case) -> None:
    heard: list[str] = []
    consumer = Consumer(
        {
            "bootstrap.servers": "127.0.0.1:1",
            "group.id": "g",
            "log_level": 0,
            "error_cb": lambda error: heard.append(error.name()),
            "reconnect.backoff.ms": 10,
        }
    )
    consumer.subscribe(["anything"])
    for _ in range(100):
        assert consumer.poll(0.1) is None
        if {"_TRANSPORT", "_ALL_BROKERS_DOWN"} <= set(heard):
            break
    case.tell(sorted(set(heard)))
    consumer.close()


def statistics(case: Case) -> None:
    topic = case.topic()
    documents: list[dict[str, object]] = []
    producer = Producer(
        {
            "bootstrap.servers": case.servers,
            "client.id": "measured",
            "statistics.interval.ms": 100,
            "stats_cb": lambda text: documents.append(json.loads(text)),
        }
    )
    producer.produce(topic, b"counted")
    producer.flush(20)
    for _ in range(100):
        producer.poll(0.1)
        if documents and documents[-1]["txmsgs"] == 1:
            break
    last = documents[-1]
    case.tell(last["client_id"], last["type"], last["txmsgs"], last["msg_cnt"], list(last["topics"]))
    case.tell(sorted(set(last) & {"name", "ts", "time", "age", "brokers", "tx", "rx", "msg_max", "rxmsgs", "replyq"}))
    partition = last["topics"][topic]["partitions"]["0"]
    case.tell(partition["partition"], partition["txmsgs"], partition["txbytes"] > 0)


def loggers(case: Case) -> None:
    logger = logging.getLogger("of-a-program")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    Producer({"bootstrap.servers": case.servers}, logger=logger).flush(5)
    Producer({"bootstrap.servers": case.servers, "logger": logger}).flush(5)
    case.tell("logger taken both ways")


def serializers(case: Case) -> None:
    from confluent_kafka import DeserializingConsumer, SerializingProducer

    case.tell(StringSerializer()("é"), StringSerializer("latin-1")("é"), StringSerializer()(None))
    case.tell(IntegerSerializer()(258), DoubleSerializer()(1.5), IntegerDeserializer()(b"\x00\x00\x01\x02"))
    case.tell(StringDeserializer("utf_8")(b"\xc3\xa9"), DoubleDeserializer()(None))
    for call in (lambda: IntegerSerializer()("x"), lambda: IntegerDeserializer()(b"1")):
        try:
            call()
        except SerializationError as error:
            case.tell(error)
    topic = case.topic()
    producer = SerializingProducer(
        {
            "bootstrap.servers": case.servers,
            "key.serializer": StringSerializer(),
            "value.serializer": IntegerSerializer(),
        }
    )
    producer.produce(topic, key="k", value=7)
    producer.produce(topic, "positional key", 8)
    case.tell(producer.flush(20))
    case.raised(producer.produce, topic, key="k", value="no number")
    consumer = DeserializingConsumer(
        {
            "bootstrap.servers": case.servers,
            "group.id": case.name(),
            "auto.offset.reset": "earliest",
            "key.deserializer": StringDeserializer(),
            "value.deserializer": IntegerDeserializer(),
        }
    )
    consumer.subscribe([topic])
    for _ in range(2):
        message = consumer.poll(20)
        case.tell(message.key(), message.value(), message.topic(), message.offset())
    plain = Producer({"bootstrap.servers": case.servers})
    plain.produce(topic, b"too long for a number")
    plain.flush(20)
    case.raised(consumer.poll, 20)
    case.raised(consumer.consume, 1)
    consumer.close()


PROGRAMS = [wrong_settings, both_ways, values_of_the_library, nobody_there, statistics, loggers, serializers]
