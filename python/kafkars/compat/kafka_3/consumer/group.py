"""`KafkaConsumer` of kafka-python 3 (`kafka.consumer.group`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from kafkars.compat.kafka._versions import NEWEST_OF_3
from kafkars.compat.kafka.consumer import _settings
from kafkars.compat.kafka.consumer.group import KafkaConsumer as Older
from kafkars.compat.kafka.errors import IllegalStateError, KafkaTimeoutError, translated
from kafkars.compat.kafka.structs import ConsumerGroupMetadata, MemberState, OffsetAndTimestamp, TopicPartition
from kafkars.compat.kafka_3._restated import restated, shared_settings, without
from kafkars.compat.kafka_3.serializer import Deserializer
from kafkars.compat.kafka_3.version import __version__
from kafkars.errors import KafkaError as EngineError

__all__ = ["KafkaConsumer"]


class KafkaConsumer(Older):
    """Reads topics, alone or as a member of a group, with the defaults and errors of kafka-python 3.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings contradict each other.
        KafkaTimeoutError: No broker answers within `bootstrap_timeout_ms`, where `api_version` is not set.
    """

    RAISES_OF_LISTENERS = True
    TELLS_LISTENERS_OF_THE_END = True
    TELLS_LISTENERS_OF_LOSSES = True
    WRONG_TYPE = TypeError
    METRICS = "kafkars.compat.kafka_3.metrics"
    NEWEST_RELEASE = NEWEST_OF_3
    KEEPS_POSITIONS = True
    FORGETS_AT_THE_END = True
    SECONDS_WITHOUT_BROKERS = 1.0
    DEFAULT_SESSION_TIMEOUT_MS_PRE_KIP_735 = 30000
    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **without(_settings.DEFAULTS, "api_version_auto_timeout_ms"),
        **shared_settings(__version__),
        "request_timeout_ms": 30000,
        "session_timeout_ms": 45000,
        "client_rack": "",
    }

    poll = restated(Older.poll, ValueError)
    OWN_POLL = poll
    seek = restated(Older.seek, ValueError)
    seek_to_beginning = restated(Older.seek_to_beginning, ValueError)
    seek_to_end = restated(Older.seek_to_end, ValueError)
    subscribe = restated(Older.subscribe, ValueError)
    position = restated(Older.position, IllegalStateError)
    highwater = restated(Older.highwater, IllegalStateError)
    commit = restated(Older.commit, IllegalStateError)
    commit_async = restated(Older.commit_async, IllegalStateError)
    committed = restated(Older.committed, IllegalStateError)
    unsubscribe = restated(Older.unsubscribe, IllegalStateError)
    assign = restated(Older.assign, IllegalStateError)
    topics = restated(Older.topics, IllegalStateError)
    pause = restated(Older.pause, IllegalStateError)
    resume = restated(Older.resume, IllegalStateError)
    partitions_for_topic = restated(Older.partitions_for_topic, IllegalStateError)

    def _checked(self, configs: Mapping[str, Any]) -> dict[str, Any]:
        return _settings.checked(configs, self.DEFAULT_CONFIG, session_is_shorter=False)

    def _of_engine(self) -> dict[str, Any]:
        return {
            **_settings.of_engine(self.config, members_are_listed=True),
            "client_rack": self.config["client_rack"] or "",
        }

    def _first_contact_seconds(self) -> float:
        return float(self.config["bootstrap_timeout_ms"]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return no_contact(super()._no_contact(error))

    def _deserializer(self, given: Any) -> tuple[Callable[..., Any], bool, bool] | None:
        return (given.deserialize, True, True) if isinstance(given, Deserializer) else super()._deserializer(given)

    def bootstrap(self, timeout_ms: float | None = None, refresh: bool = False) -> bool:
        """Waits until the cluster has answered.

        Args:
            timeout_ms: Milliseconds; defaults to `bootstrap_timeout_ms`.
            refresh: Ignored: a broker is asked in any case.

        Raises:
            KafkaTimeoutError: No broker answers in time.
        """
        del refresh
        seconds = self._first_contact_seconds() if timeout_ms is None else timeout_ms / 1000
        try:
            self._engine.topics(timeout=seconds)
        except EngineError as error:
            raise self._no_contact(error) from error
        return True

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Returns group id, generation and this member's ids, for `KafkaProducer.send_offsets_to_transaction()`."""
        if self.config["group_id"] is None:
            return ConsumerGroupMetadata()
        with translated():
            found = self._engine.group_metadata()
        joined = bool(found.member_id)
        return ConsumerGroupMetadata(
            found.group_id,
            found.generation_id if joined else -1,
            found.member_id,
            self.config["group_instance_id"],
            MemberState.STABLE if joined else MemberState.UNJOINED,
        )

    def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout_ms: float | None = None
    ) -> dict[TopicPartition, int]:
        """Returns the offset of the oldest record by partition."""
        with translated():
            return self._engine.beginning_offsets(list(partitions), timeout=self._seconds(timeout_ms))

    def end_offsets(
        self, partitions: Iterable[TopicPartition], timeout_ms: float | None = None
    ) -> dict[TopicPartition, int]:
        """Returns the offset after the newest record by partition; with `read_committed` the last stable offset."""
        with translated():
            return self._engine.end_offsets(list(partitions), timeout=self._seconds(timeout_ms))

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, float], timeout_ms: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Returns for each partition the first record that is not older than a time in milliseconds since 1970, or
        None.
        """
        return self._offsets_for_times(timestamps, self._seconds(timeout_ms))

    def _seconds(self, timeout_ms: float | None) -> float | None:
        return None if timeout_ms is None else timeout_ms / 1000


def no_contact(older: BaseException) -> BaseException:
    """Returns what kafka-python 3 raises if no broker answers."""
    return KafkaTimeoutError(*older.args)
