"""`KafkaProducer` of kafka-python 3 (`kafka.producer.kafka`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from kafkars import DeliveryFuture
from kafkars.compat.kafka._versions import NEWEST_OF_3
from kafkars.compat.kafka.errors import IllegalStateError, KafkaConfigurationError, of, translated
from kafkars.compat.kafka.producer import _settings
from kafkars.compat.kafka.producer._cluster import ClusterMetadata
from kafkars.compat.kafka.producer.future import FutureRecordMetadata
from kafkars.compat.kafka.producer.kafka import KafkaProducer as Older
from kafkars.compat.kafka.structs import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition
from kafkars.compat.kafka_3._restated import restated, shared_settings, without
from kafkars.compat.kafka_3.consumer.group import no_contact
from kafkars.compat.kafka_3.partitioner import DefaultPartitioner, Partitioner
from kafkars.compat.kafka_3.serializer import Serializer
from kafkars.compat.kafka_3.version import __version__
from kafkars.errors import KafkaError as EngineError
from kafkars.errors import RecordTooLargeError
from kafkars.types import ConsumerGroupMetadata as EngineMember
from kafkars.types import OffsetAndMetadata as EngineOffset

__all__ = ["KafkaProducer"]

log = logging.getLogger("kafka.producer.kafka")

MOST_IN_FLIGHT = 5


class KafkaProducer(Older):
    """Sends records, with the defaults and errors of kafka-python 3: acknowledged by all replicas, and idempotent.

    Raises:
        ValueError: A setting is unknown.
        KafkaConfigurationError: Settings contradict each other.
        KafkaTimeoutError: No broker answers within `bootstrap_timeout_ms`, where `api_version` is not set.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **without(_settings.DEFAULTS, "api_version_auto_timeout_ms", "bootstrap_topics_filter"),
        **shared_settings(__version__),
        "client_id": None,
        "acks": -1,
        "enable_idempotence": True,
        "partitioner": DefaultPartitioner(),
    }

    DEPRECATED_CONFIGS: Sequence[str] = ()
    WRONG_TYPE = TypeError
    WRONG_VALUE = ValueError
    METRICS = "kafkars.compat.kafka_3.metrics"
    NEWEST_RELEASE = NEWEST_OF_3

    def _partitioner(self) -> Callable[..., int] | None:
        chosen = self.config["partitioner"]
        if not isinstance(chosen, Partitioner) or type(chosen) is DefaultPartitioner:
            return None
        cluster = ClusterMetadata(self._engine, self.config["max_block_ms"] / 1000)
        choose: Callable[..., int] = chosen.partition
        return lambda *record: choose(*record, cluster)

    def _checked(self, configs: Mapping[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(configs) - set(self.DEFAULT_CONFIG) - set(self.DEPRECATED_CONFIGS))
        if unknown:
            raise ValueError(f"Unrecognized configs: {', '.join(unknown)}")
        given = dict(configs)
        conflicts = in_conflict(given)
        if given.get("transactional_id") and given.get("enable_idempotence") is False:
            raise KafkaConfigurationError("transactional_id needs enable_idempotence")
        if conflicts and (given.get("transactional_id") or given.get("enable_idempotence")):
            raise KafkaConfigurationError(f"enable_idempotence=True does not go with {', '.join(conflicts)}")
        if conflicts and "enable_idempotence" not in given:
            log.warning("enable_idempotence is off, because of %s", ", ".join(conflicts))
            given["enable_idempotence"] = False
        # What goes with idempotence here is checked above; 2 asks for one request in flight.
        limit = given.pop("max_in_flight_requests_per_connection", None)
        config = _settings.checked(given, self.DEFAULT_CONFIG)
        config["max_in_flight_requests_per_connection"] = MOST_IN_FLIGHT if limit is None else limit
        if isinstance(config["partitioner"], Partitioner):
            # The engine hashes keys as `DefaultPartitioner` does; others are asked before the engine.
            config["partitioner"] = _settings.DEFAULTS["partitioner"]
        return {**config, "partitioner": given.get("partitioner", self.DEFAULT_CONFIG["partitioner"])}

    def _of_engine(self, given: Mapping[str, Any]) -> dict[str, Any]:
        config = self.config
        if isinstance(config["partitioner"], Partitioner):
            config = {**config, "partitioner": _settings.DEFAULTS["partitioner"]}
        return _settings.of_engine(config, given)

    def _first_contact_seconds(self) -> float:
        return float(self.config["bootstrap_timeout_ms"]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return no_contact(super()._no_contact(error))

    def _serializer(self, given: Any) -> tuple[Callable[..., Any], bool, bool] | None:
        return (given.serialize, True, True) if isinstance(given, Serializer) else super()._serializer(given)

    def _send(
        self,
        topic: str,
        value: Any,
        key: Any,
        headers: list[tuple[str, bytes]] | None,
        partition: int | None,
        timestamp_ms: int | None,
    ) -> FutureRecordMetadata:
        if self._closed:
            raise IllegalStateError("KafkaProducer is closed")
        if headers is not None:
            self._checked_headers(headers)
        return super()._send(topic, value, key, headers, partition, timestamp_ms)

    _send_serialized = restated(Older._send_serialized, ValueError)

    def _refused(self, error: BaseException) -> FutureRecordMetadata:
        if isinstance(error, RecordTooLargeError):
            raise of(error) from error
        try:
            return super()._refused(error)
        except AssertionError as refusal:
            raise ValueError(*refusal.args) from refusal

    def _raise_at_once(self, delivery: DeliveryFuture) -> None:
        try:
            super()._raise_at_once(delivery)
        except AssertionError as refusal:
            raise ValueError(*refusal.args) from refusal

    def send_offsets_to_transaction(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], group_metadata: ConsumerGroupMetadata | str
    ) -> None:
        """Commits a group's offsets with the transaction.

        Args:
            offsets: The next offset to read by partition.
            group_metadata: `KafkaConsumer.group_metadata()`; a group's name alone does not fence former members.
        """
        if isinstance(group_metadata, str):
            super().send_offsets_to_transaction(offsets, group_metadata)
            return
        self._check_transactional()
        taken = {partition: EngineOffset(place.offset, place.metadata or "") for partition, place in offsets.items()}
        member = EngineMember(
            group_metadata.group_id or "",
            group_metadata.generation_id,
            group_metadata.member_id,
            group_metadata.group_instance_id,
        )
        with translated():
            self._engine.send_offsets_to_transaction(taken, member)


def in_conflict(given: Mapping[str, Any]) -> list[str]:
    """Returns the given settings that contradict idempotence."""
    found = []
    if given.get("acks", -1) not in {-1, "all"}:
        found.append(f"acks={given['acks']!r}")
    if given.get("retries", 1) == 0:
        found.append("retries=0")
    if given.get("max_in_flight_requests_per_connection", 1) > MOST_IN_FLIGHT:
        found.append(f"max_in_flight_requests_per_connection={given['max_in_flight_requests_per_connection']!r}")
    return found
