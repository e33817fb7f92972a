"""Conversations with producers."""

from __future__ import annotations

import random
from typing import Any

from tests.compat.kafka_legacy.calls import told
from tests.compat.kafka_legacy.talk import Conversation, Talk, each_of


def _sent(made: Any, talk: Talk, *messages: tuple[Any, ...]) -> list[Any]:
    answers = each_of(*[lambda each=each: made.send_messages(talk.topic, *each) for each in messages])
    return [*answers, talk.stored()]


def simple_producer(talk: Talk) -> Any:
    made = talk.kafka.SimpleProducer(talk.client, random_start=False)
    return [repr(made), *_sent(made, talk, (b"a",), (b"b", b"c"), (), (b"d",), (b"",), (b"e",))]


def simple_producer_types(talk: Talk) -> Any:
    made = talk.kafka.SimpleProducer(talk.client, random_start=False)
    wrong: list[Any] = ["text", None, 1, 1.5, bytearray(b"x"), memoryview(b"x"), [b"x"], (b"x",), object()]
    topics: list[Any] = [None, 1, bytearray(b"x"), [b"x"]]
    return [
        *each_of(*[lambda each=each: made.send_messages(talk.topic, b"first", each) for each in wrong]),
        *each_of(*[lambda each=each: made.send_messages(each, b"x") for each in topics]),
        told(lambda: made.send_messages(talk.topic.decode(), b"a topic as text")),
        talk.stored(),
    ]


def acknowledgements(talk: Talk) -> Any:
    def one(acks: int) -> Any:
        return talk.kafka.SimpleProducer(talk.client, req_acks=acks, random_start=False).send_messages(talk.topic, b"a")

    return each_of(*[lambda acks=acks: one(acks) for acks in (1, -1)])


def codecs(talk: Talk) -> Any:
    def one(codec: Any, level: Any) -> Any:
        made = talk.kafka.SimpleProducer(talk.client, codec=codec, codec_compresslevel=level, random_start=False)
        return made.send_messages(talk.topic, b"a" * 100, b"b" * 100)

    return each_of(*[lambda codec=codec: one(codec, None) for codec in (None, 0, 1, 3, 7, -1, 256)], lambda: one(1, 1))


def too_large(talk: Talk) -> Any:
    """One message that is larger than brokers take, among others, is refused with all of its call."""
    large = random.Random(17).randbytes(1_100_000)
    calls = [(b"a", large, b"b"), (large, b"a"), (b"a", b"b", large), (large,)]
    plain = talk.kafka.SimpleProducer(talk.client, random_start=False)
    told_of = talk.kafka.SimpleProducer(talk.client, random_start=False, sync_fail_on_error=False)
    packed = talk.kafka.SimpleProducer(talk.client, random_start=False, codec=talk.protocol.CODEC_GZIP)
    keyed = talk.kafka.KeyedProducer(talk.client, partitioner=talk.kafka.RoundRobinPartitioner)
    request, message = talk.common.ProduceRequest, talk.protocol.create_message
    requests = [
        request(talk.topic, 0, [message(b"a"), message(large)]),
        request(talk.topic, 1, [message(b"c"), message(b"d")]),
    ]
    return [
        *_sent(plain, talk, *calls),
        *_sent(told_of, talk, *calls),
        *_sent(packed, talk, *calls),
        told(lambda: keyed.send_messages(talk.topic, b"key", b"a", large)),
        talk.stored(),
        told(lambda: talk.client.send_produce_request(requests, fail_on_error=False)),
        talk.stored(),
    ]


def no_such_partition(talk: Talk) -> Any:
    made = talk.load("kafka.producer.base").Producer(talk.client)
    return each_of(
        lambda: made.send_messages(talk.topic, 99, b"x"),
        lambda: made.send_messages(talk.topic, -1, b"x"),
        lambda: made.send_messages(talk.topic, "0", b"x"),
        lambda: made.send_messages(talk.topic, None, b"x"),
    )


def asynchronous(kind: str, key: tuple[bytes, ...]) -> Conversation:
    def held(talk: Talk) -> Any:
        # `async` by its place: it is a keyword of Python now.
        made = getattr(talk.kafka, kind)(talk.client, *(1, 1000, None, None, True, True), batch_send_every_n=3)
        answers = [made.send_messages(talk.topic, *key, b"%d" % each) for each in range(7)]
        shape = [repr(made), made.stopped, made.stop(), made.stop(), made.stopped]
        return [answers, shape, sorted(value for _, _, _, value in talk.stored())]

    return held


def limits(talk: Talk) -> Any:
    def one(**options: Any) -> Any:
        talk.kafka.SimpleProducer(talk.client, 1, 1000, None, None, True, True, **options).stop()

    return each_of(
        lambda: one(batch_send_every_n=0),
        lambda: one(batch_send_every_n=-1),
        lambda: one(batch_send_every_t=0),
        lambda: one(batch_send_every_t=-1),
        lambda: one(async_queue_maxsize=-1),
        lambda: one(async_retry_limit=0, async_retry_backoff_ms=0),
        lambda: one(nonsense=1),
    )


def a_full_queue(talk: Talk) -> Any:
    made = talk.kafka.SimpleProducer(
        talk.client,
        *(1, 1000, None, None, True, True),
        batch_send_every_n=100,
        batch_send_every_t=60,
        async_queue_maxsize=2,
    )
    try:
        # One message at most is in the hands of the thread each time it looks.
        made.send_messages(talk.topic, *[b"x"] * 1000)
    except talk.common.AsyncProducerQueueFull as error:
        return [type(error).__name__, 0 < len(error.failed_msgs) < 1000, isinstance(error, talk.common.KafkaError)]
    finally:
        made.stop()
    return "not full"


def keyed_producer(talk: Talk) -> Any:
    found = []
    for kind in ("Murmur2Partitioner", "RoundRobinPartitioner"):
        made = talk.kafka.KeyedProducer(talk.client, partitioner=getattr(talk.load("kafka.partitioner"), kind))
        found += [repr(made)]
        found += each_of(
            lambda made=made: made.send_messages(talk.topic, b"key1", b"a", b"b"),
            lambda made=made: made.send_messages(talk.topic, b"key2", b"c"),
            lambda made=made: made.send(talk.topic, b"key3", b"d"),
            lambda made=made: made.send_messages(talk.topic, b"key4", None),
            lambda made=made: made.send_messages(talk.topic, b"key5"),
            lambda made=made: made.send_messages(talk.topic, None, b"no key"),
            lambda made=made: made.send_messages(talk.topic, 12, b"a number"),
            lambda made=made: made.send_messages(talk.topic, "text", b"text"),
            lambda made=made: made.send_messages(talk.topic, b"", b"empty"),
            lambda made=made: made.send_messages(talk.topic, b"key", "text"),
        )
    return [*found, talk.stored()]
