"""`KafkaClient`: requests to a cluster, and its metadata (`kafka.client`).

The calls, their arguments and their results are those of 0.9.5. The kafkars clients of `_engine.py` carry them out,
with requests that current brokers understand.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from kafkars.compat.kafka_legacy import _requests
from kafkars.compat.kafka_legacy._engine import Engine
from kafkars.compat.kafka_legacy._metadata import read_metadata
from kafkars.compat.kafka_legacy.common import (
    BrokerMetadata,
    ConnectionError,  # noqa: A004  the library's own
    ConsumerMetadataResponse,
    FailedPayloadsError,
    FetchRequest,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    MetadataResponse,
    NotLeaderForPartitionError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    PartitionMetadata,
    ProduceRequest,
    TopicAndPartition,
    TopicMetadata,
    UnknownTopicOrPartitionError,
    check_error,
)
from kafkars.compat.kafka_legacy.conn import DEFAULT_SOCKET_TIMEOUT_SECONDS, collect_hosts
from kafkars.compat.kafka_legacy.util import OfPartition, group_by_topic_and_partition, kafka_bytestring

log = logging.getLogger("kafka.client")

PAUSE = 0.5
"""Seconds between two metadata requests for a topic that is being created."""


P = TypeVar("P", bound=OfPartition)
R = TypeVar("R", bound=OfPartition)


class KafkaClient:
    """Sends requests to a cluster and waits for the responses.

    It connects at construction. The metadata is in `brokers` (by id), `topics_to_brokers`
    (leaders by `TopicAndPartition`) and `topic_partitions` (by topic, then partition). Names of topics are bytes there;
    calls accept text, too. Each thread and each process needs a client of its own: `copy()`.

    Args:
        hosts: Addresses of some brokers: "host:port,host:port", or a list.
        client_id: The client id, which brokers log.
        timeout: Seconds that a call may take; at most 30 are used.
        correlation_id: The first correlation id.

    Raises:
        KafkaUnavailableError: No broker answers.
    """

    CLIENT_ID = b"kafka-python"

    def __init__(
        self,
        hosts: str | Iterable[str],
        client_id: str | bytes = CLIENT_ID,
        timeout: float | None = DEFAULT_SOCKET_TIMEOUT_SECONDS,
        correlation_id: int = 0,
    ) -> None:
        self.client_id = kafka_bytestring(client_id)
        self.timeout = timeout
        self.hosts = collect_hosts(hosts)
        self.correlation_id = correlation_id
        self.brokers: dict[int, BrokerMetadata] = {}
        self.topics_to_brokers: dict[TopicAndPartition, BrokerMetadata | None] = {}
        self.topic_partitions: dict[bytes, dict[int, PartitionMetadata]] = {}
        self._engine = self._new_engine()
        self.load_metadata_for_topics()

    def __repr__(self) -> str:
        return f"<KafkaClient client_id={self.client_id!r}>"

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state without connections: a copy, in this process or another, makes its own."""
        return {name: value for name, value in vars(self).items() if name != "_engine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._engine = self._new_engine()

    def close(self) -> None:
        """Closes the connections; a later call makes new ones."""
        self._engine.close()

    def take_what_fits(self) -> None:
        """Stores, from now on, the messages of a request that fit although others are too large: an asynchronous
        producer needs this, because it cannot ask its program. 0.9.5 had no such method.
        """
        self._engine.takes_what_fits = True

    def give_up(self) -> None:
        """Closes this client for good, and ends calls of other threads that wait. 0.9.5 had no such method."""
        self._engine.give_up()

    def copy(self) -> KafkaClient:
        """Returns a copy without connections, for another thread or process; `reinit()` or its first request connects
        it.
        """
        return copy.deepcopy(self)

    def reinit(self) -> None:
        """Closes the connections and makes new ones.

        Raises:
            ConnectionError: No broker answers.
        """
        self._engine.close()
        if not self.hosts:
            return
        try:
            self._engine.ask(lambda admin, seconds: admin.describe_cluster(timeout=seconds))
        except KafkaUnavailableError as error:
            raise ConnectionError(f"Kafka @ {self.hosts} went away") from error

    def reset_topic_metadata(self, *topics: str | bytes) -> None:
        """Drops the metadata of some topics."""
        names = {kafka_bytestring(topic) for topic in topics}
        for known in [each for each in list(self.topics_to_brokers) if each.topic in names]:
            self.topics_to_brokers.pop(known, None)
        for name in names:
            self.topic_partitions.pop(name, None)

    def reset_all_metadata(self) -> None:
        """Drops the metadata of all topics."""
        self.topics_to_brokers.clear()
        self.topic_partitions.clear()

    def has_metadata_for_topic(self, topic: str | bytes) -> bool:
        """True if the known metadata has the topic with a partition. Sends no request."""
        return bool(self.topic_partitions.get(kafka_bytestring(topic)))

    def get_partition_ids_for_topic(self, topic: str | bytes) -> list[int]:
        """Returns the known partitions of a topic, in order. Sends no request."""
        return sorted(self.topic_partitions.get(kafka_bytestring(topic), ()))

    @property
    def topics(self) -> list[bytes]:
        """Returns the known topics. Sends no request."""
        return list(self.topic_partitions)

    def ensure_topic_exists(self, topic: str | bytes, timeout: float = 30) -> None:
        """Fetches metadata of a topic until it is there, so that brokers that auto-create topics create it.

        Args:
            topic: The topic's name.
            timeout: Time limit in seconds.

        Raises:
            UnknownTopicOrPartitionError: The topic does not exist, and brokers do not create it.
            KafkaTimeoutError: The topic is not there in time.
        """
        end = time.monotonic() + timeout
        while not self.has_metadata_for_topic(topic):
            if time.monotonic() > end:
                raise KafkaTimeoutError(f"Unable to create topic {topic!r}")
            try:
                self.load_metadata_for_topics(topic)
            except LeaderNotAvailableError:
                time.sleep(PAUSE)
                continue
            if not self.has_metadata_for_topic(topic):
                time.sleep(PAUSE)

    def load_metadata_for_topics(self, *topics: str | bytes) -> None:
        """Fetches the metadata of brokers and topics, and stores it.

        Args:
            *topics: The topics; all if none is named. Brokers with auto-creation create a named topic
                that does not exist.

        Raises:
            UnknownTopicOrPartitionError: A named topic does not exist.
            LeaderNotAvailableError: A named topic is still being created.
            KafkaUnavailableError: No broker answers.
        """
        names = [kafka_bytestring(topic) for topic in topics]
        if names:
            self.reset_topic_metadata(*names)
        else:
            self.reset_all_metadata()
        response = self.send_metadata_request(names)
        log.debug("Updating broker metadata: %s", response.brokers)
        log.debug("Updating topic metadata: %s", response.topics)
        self.brokers = {broker.nodeId: broker for broker in response.brokers}
        for topic in response.topics:
            try:
                check_error(topic)
            except (UnknownTopicOrPartitionError, LeaderNotAvailableError) as error:
                if topic.topic in names:
                    raise
                log.error("Error loading topic metadata for %s: %s", topic.topic, type(error))  # noqa: TRY400
                continue
            self._learn(topic)

    def send_metadata_request(
        self,
        payloads: Sequence[bytes] = [],
        fail_on_error: bool = True,
        callback: Callable[..., Any] | None = None,
    ) -> MetadataResponse:
        """Requests the metadata of brokers and topics.

        Args:
            payloads: Names of topics; all if none is named.
            fail_on_error: Ignored.
            callback: Ignored.

        Raises:
            KafkaUnavailableError: No broker answers.
        """
        del fail_on_error, callback
        return read_metadata(self._engine, [kafka_bytestring(each) for each in payloads])

    def send_consumer_metadata_request(
        self,
        payloads: bytes | str | Sequence[bytes] = [],
        fail_on_error: bool = True,
        callback: Callable[..., Any] | None = None,
    ) -> ConsumerMetadataResponse:
        """Requests the coordinator of a group.

        Args:
            payloads: The group.
            fail_on_error: Ignored.
            callback: Ignored.

        Raises:
            KafkaUnavailableError: No broker answers.
        """
        del fail_on_error, callback
        return _requests.coordinator(self._engine, payloads if isinstance(payloads, (bytes, str)) else b"")

    def send_produce_request(
        self,
        payloads: Iterable[ProduceRequest] = [],
        acks: int = 1,
        timeout: int = 1000,
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Stores messages. If one of a request is larger than the topic accepts, none of the request is stored.

        Args:
            payloads: The messages, at most one request for each partition.
            acks: Required acknowledgements: 0 none, 1 of the leader, -1 or more than 1 of all in-sync replicas.
            timeout: Ignored: the client's own time-out counts.
            fail_on_error: True raises the first failure; False returns it in place of its response.
            callback: Called with each response; its results make the returned list.

        Returns:
            A `ProduceResponse` for each request, in order; an empty list with `acks` 0.

        Raises:
            UnknownTopicOrPartitionError, LeaderNotAvailableError: A partition is unknown or has no leader; nothing was
                sent.
            FailedPayloadsError, ...: A request failed, with `fail_on_error`.
        """
        del timeout
        answers = self._send_broker_aware_request(
            [_gathered(each) for each in payloads], lambda each: _requests.produce(self._engine, each, acks)
        )
        if acks == 0:
            answers = [each for each in answers if isinstance(each, FailedPayloadsError)]
        return self._results(answers, fail_on_error, callback)

    def send_fetch_request(
        self,
        payloads: Iterable[FetchRequest] = [],
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
        max_wait_time: float = 100,
        min_bytes: int = 4096,
    ) -> list[Any]:
        """Reads messages.

        Args:
            payloads: The offsets to read from, at most one request for each partition.
            fail_on_error: True raises the first failure; False returns it in place of its response.
            callback: Called with each response; its results make the returned list.
            max_wait_time: Milliseconds to wait for `min_bytes`.
            min_bytes: The bytes to wait for, of all partitions together.

        Returns:
            A `FetchResponse` for each request, in order; iterating over its messages raises `ConsumerFetchSizeTooSmall`
            if the first is larger than what was that does not exist.
        """
        answers = self._send_broker_aware_request(
            payloads, lambda each: _requests.fetch(self._engine, each, max_wait_time / 1000, min_bytes)
        )
        return self._results(answers, fail_on_error, callback)

    def send_offset_request(
        self,
        payloads: Iterable[OffsetRequest] = [],
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Requests offsets of logs; a `time` of -1 is the end, -2 the beginning, else milliseconds since 1970.

        Returns:
            An `OffsetResponse` for each request, in order.
        """
        answers = self._send_broker_aware_request(payloads, lambda each: _requests.offsets(self._engine, each))
        return self._results(answers, fail_on_error, callback)

    def send_offset_commit_request(
        self,
        group: bytes | str | None,
        payloads: Iterable[OffsetCommitRequest] = [],
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Commits offsets for a group without members, at its coordinator: current brokers do not write to
        ZooKeeper.

        Returns:
            An `OffsetCommitResponse` for each request, in order.
        """
        answers = self._send_broker_aware_request(payloads, lambda each: _requests.commit(self._engine, group, each))
        return self._results(answers, fail_on_error, callback)

    def send_offset_fetch_request(
        self,
        group: bytes | str | None,
        payloads: Iterable[OffsetFetchRequest] = [],
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Requests a group's committed offsets from its coordinator; -1 means none.

        Returns:
            An `OffsetFetchResponse` for each request, in order.
        """
        # Here a partition that does not exist is an error, which the coordinator would not report.
        answers = self._send_broker_aware_request(payloads, lambda each: _requests.committed(self._engine, group, each))
        return self._results(answers, fail_on_error, callback)

    def send_offset_fetch_request_kafka(
        self,
        group: bytes | str | None,
        payloads: Iterable[OffsetFetchRequest] = [],
        fail_on_error: bool = True,
        callback: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Like `send_offset_fetch_request()`, but partitions need not exist."""
        payloads = list(payloads)
        group_by_topic_and_partition(payloads)
        answers = _requests.committed(self._engine, group, payloads)
        return self._results(answers, fail_on_error, callback)

    def _new_engine(self) -> Engine:
        return Engine(self.hosts, self.client_id.decode("utf-8", "replace"), self.timeout)

    def _next_id(self) -> int:
        """Returns the next correlation id, which stays within an int32."""
        self.correlation_id = (self.correlation_id + 1) % 2**31
        return self.correlation_id

    def _learn(self, topic: TopicMetadata) -> None:
        """Stores a topic's partitions and their leaders."""
        self.topic_partitions[topic.topic] = {each.partition: each for each in topic.partitions}
        for each in topic.partitions:
            leader: BrokerMetadata | None = None
            if each.error == LeaderNotAvailableError.errno:
                log.error("No leader for topic %s partition %d", topic.topic, each.partition)
            else:
                leader = self.brokers.get(each.leader, BrokerMetadata(each.leader, None, None))
            self.topics_to_brokers[TopicAndPartition(topic.topic, each.partition)] = leader

    def _get_leader_for_partition(self, topic: str | bytes, partition: int) -> BrokerMetadata:
        """Returns the leader of a partition, and fetches metadata if it is unknown.

        Raises:
            UnknownTopicOrPartitionError, LeaderNotAvailableError: The partition is unknown or has no leader.
        """
        key = TopicAndPartition(kafka_bytestring(topic), partition)
        known = self.topics_to_brokers.get(key)
        if known is not None:
            return known
        self.load_metadata_for_topics(key.topic)
        if partition not in self.topic_partitions.get(key.topic, ()):
            raise UnknownTopicOrPartitionError(key)
        found = self.topics_to_brokers[key]
        if found is None:
            raise LeaderNotAvailableError(self.topic_partitions[key.topic][partition])
        return found

    def _send_broker_aware_request(
        self, payloads: Iterable[P], send: Callable[[Sequence[P]], Sequence[R | FailedPayloadsError]]
    ) -> list[R | FailedPayloadsError]:
        """Sends requests for partitions, whose leaders are looked up first.

        Returns:
            A response for each, in order.
        """
        # A list, because a generator can be iterated over only once.
        payloads = list(payloads)
        group_by_topic_and_partition(payloads)
        led = [self._find_leader(each) for each in payloads]
        sent = [each for each, is_led in zip(payloads, led, strict=True) if is_led]
        answers = send(sent) if sent else []
        if any(isinstance(each, FailedPayloadsError) for each in answers):
            self.reset_all_metadata()
        rest = iter(answers)
        return [next(rest) if is_led else FailedPayloadsError(each) for each, is_led in zip(payloads, led, strict=True)]

    def _find_leader(self, payload: OfPartition) -> bool:
        try:
            self._get_leader_for_partition(payload.topic, payload.partition)
        except KafkaUnavailableError:
            log.warning("KafkaUnavailableError attempting to send to %s:%d", payload.topic, payload.partition)
            return False
        return True

    def _results(self, answers: Sequence[Any], fail_on_error: bool, callback: Callable[[Any], Any] | None) -> list[Any]:
        found = []
        for answer in answers:
            if fail_on_error:
                self._raise_on_response_error(answer)
            found.append(answer if callback is None else callback(answer))
        return found

    def _raise_on_response_error(self, answer: Any) -> None:
        try:
            check_error(answer)
        except (UnknownTopicOrPartitionError, NotLeaderForPartitionError):
            self.reset_topic_metadata(answer.topic)
            raise


def _gathered(payload: ProduceRequest) -> ProduceRequest:
    """Returns a payload whose messages are a list: a generator can be iterated only once."""
    if isinstance(payload.messages, (list, tuple)):
        return payload
    return ProduceRequest(payload.topic, payload.partition, tuple(payload.messages))
