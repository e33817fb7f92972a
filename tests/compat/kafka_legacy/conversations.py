"""Calls on a cluster, by the names that issue lists and documents of 0.9.5 have: made on the original once
(`record_conversations.py`, Kafka 2.8.2) and on the face in each run.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from tests.compat.kafka_legacy import talk_client as client
from tests.compat.kafka_legacy import talk_kafka_consumer as kafka_consumer
from tests.compat.kafka_legacy import talk_producers as producers
from tests.compat.kafka_legacy import talk_simple_consumer as simple_consumer
from tests.compat.kafka_legacy.talk import Conversation

# More are compared by who has the original, which records them first.
SEEDS = int(os.environ.get("KAFKARS_CONVERSATION_SEEDS", "5"))

CONVERSATIONS: dict[str, Conversation] = {
    "SimpleProducer": producers.simple_producer,
    "SimpleProducer: wrong types": producers.simple_producer_types,
    "SimpleProducer: req_acks": producers.acknowledgements,
    "SimpleProducer: codecs": producers.codecs,
    "SimpleProducer: asynchronous, stopped twice": producers.asynchronous("SimpleProducer", ()),
    "SimpleProducer: limits of settings": producers.limits,
    "SimpleProducer: a full queue": producers.a_full_queue,
    "Producer: messages that are too large": producers.too_large,
    "Producer: no such partition": producers.no_such_partition,
    "KeyedProducer": producers.keyed_producer,
    "KeyedProducer: asynchronous, stopped twice": producers.asynchronous("KeyedProducer", (b"key",)),
    "SimpleConsumer": simple_consumer.simple_consumer,
    "SimpleConsumer: provide_partition_info": simple_consumer.partition_info,
    "SimpleConsumer: seek": simple_consumer.seeking,
    "SimpleConsumer: iteration": simple_consumer.iterating,
    "SimpleConsumer: commit, stopped twice": simple_consumer.commits,
    "SimpleConsumer: auto_commit_every_n": simple_consumer.commits_by_number,
    "SimpleConsumer: buffer_size": simple_consumer.buffers,
    "SimpleConsumer: auto_offset_reset": simple_consumer.out_of_range,
    "SimpleConsumer: wrong types": simple_consumer.wrong_consumers,
    "SimpleConsumer: arguments at their limits": simple_consumer.arguments,
    "SimpleConsumer: no group": simple_consumer.without_a_group,
    "stopped and closed": simple_consumer.after_the_end,
    "MultiProcessConsumer": simple_consumer.multi_process,
    "OffsetCommitContext": simple_consumer.context,
    "KafkaConsumer": kafka_consumer.kafka_consumer,
    "KafkaConsumer: task_done and commit": kafka_consumer.done,
    "KafkaConsumer: set_topic_partitions": kafka_consumer.topics,
    "KafkaConsumer: settings": kafka_consumer.settings,
    "KafkaConsumer: arguments at their limits": kafka_consumer.methods,
    "KafkaConsumer: get_partition_offsets": kafka_consumer.offsets_of_partitions,
    "KafkaClient: metadata": client.metadata,
    "KafkaClient: produce, fetch, offset requests": client.requests,
    "KafkaClient: wrong types": client.wrong_requests,
    "KafkaClient: offsets of groups": client.offsets_of_groups,
    "KafkaClient: copy, close, reinit, addresses": client.clients,
    "KafkaConnection": client.connection,
    **{f"SimpleConsumer: by chance, {seed}": simple_consumer.by_chance(seed) for seed in range(SEEDS)},
    **{f"KafkaConsumer: by chance, {seed}": kafka_consumer.kafka_consumer_by_chance(seed) for seed in range(SEEDS)},
}


REASONS = {
    "KafkaClient: wrong types": {
        3: "A request's topic may be text: the original took it for one that is not there.",
        25: "A client's `timeout` that is no number is a `TypeError`: the original took its own for a broker that is gone.",
    },
}
"""What is otherwise, by conversation and the place in what it tells."""


def face(name: str) -> Any:
    """A module of the face, by its name in the original."""
    return importlib.import_module(name.replace("kafka", "kafkars.compat.kafka_legacy", 1))
