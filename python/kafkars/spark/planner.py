"""The driver's questions to the cluster: which partitions there are, and where they begin and end."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from kafkars._times import Milliseconds
from kafkars.admin import Admin
from kafkars.config.admin import AdminConfig
from kafkars.errors import BootstrapError, ConfigError, KafkaError, KafkaTimeoutError, UnknownTopicOrPartitionError
from kafkars.spark import client_settings
from kafkars.spark.errors import DataLossError
from kafkars.spark.offsets import EARLIEST, LATEST, Offsets, names
from kafkars.spark.options import Limit, SourceOptions, is_committed
from kafkars.types import TopicPartition

T = TypeVar("T")

LOG = logging.getLogger("kafkars.spark")

API_TIMEOUT_MS = 20_000
"""How long a call of the driver may take, unless `kafka.default.api.timeout.ms` says otherwise."""

RETRY_SECONDS = 0.1
"""Seconds before the next attempt after a broker could not answer."""

HOW_TO_GO_ON = (
    "Some data was lost: it was removed by retention, or the topic was deleted or made again. Set failOnDataLoss to false "
    "to go on with what is left"
)


class Planner:
    """Looks up partitions and offsets for the driver. Its client is not pickled with it."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._admin: Admin | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "_admin": None}

    def close(self) -> None:
        """Closes the connections."""
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    @property
    def admin(self) -> Admin:
        """The client, which is made when it is first needed."""
        if self._admin is None:
            settings: dict[str, Any] = client_settings.part(self._options.settings, AdminConfig)
            settings.setdefault("default_api_timeout_ms", API_TIMEOUT_MS)
            self._admin = Admin(client_settings.make(AdminConfig, settings))
        return self._admin

    def partitions(self, *, must_exist: bool = True) -> list[TopicPartition]:
        """Returns the current partitions of the topics that the options name.

        Args:
            must_exist: Whether a topic that does not exist is an error. It is not for a running query: the topic may be
                created again soon.

        Raises:
            ConfigError: A topic or partition does not exist.
        """
        options = self._options
        if options.pattern is not None:
            pattern = re.compile(options.pattern)
            wanted = [topic for topic in self._ask(self.admin.list_topics) if pattern.fullmatch(topic)]
        else:
            wanted = list(options.subscribe) or sorted({topic for topic, _ in options.assign})
        found: list[TopicPartition] = []
        described = self._ask_each(lambda: self.admin.describe_topics(wanted, return_exceptions=True)) if wanted else {}
        for topic in wanted:
            answer: Any = described.get(topic)
            if isinstance(answer, UnknownTopicOrPartitionError) and (not must_exist or options.pattern is not None):
                continue
            if isinstance(answer, UnknownTopicOrPartitionError):
                raise ConfigError(f"{'assign' if options.assign else 'subscribe'}: there is no topic {topic!r}")
            if isinstance(answer, Exception):
                raise answer
            found += [TopicPartition(topic, info.partition) for info in answer.partitions]
        if not options.assign:
            return sorted(found)
        missing = set(options.assign) - set(found)
        if missing and must_exist:
            raise ConfigError(f"assign: there is no partition {names(missing)}")
        return sorted(set(options.assign) - missing)

    def earliest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Returns the first offset of each existing partition."""
        return self._offsets(dict.fromkeys(partitions, "earliest"))

    def latest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Returns the end of each existing partition; with read_committed, where its oldest open transaction begins."""
        return self._offsets(dict.fromkeys(partitions, "latest"))

    def resolve(self, limit: Limit, partitions: list[TopicPartition]) -> Offsets:
        """Returns the offsets that an option stands for.

        Raises:
            ConfigError: Its partitions are not those of the query, or no record is as new as it says.
        """
        if limit.named == "earliest":
            return self.earliest(partitions)
        if limit.named == "latest":
            return self.latest(partitions)
        if limit.named == "committed":
            return self._committed(partitions)
        if limit.offsets is not None:
            return self._specific(limit, partitions, limit.offsets)
        return self._by_time(limit, partitions)

    def since(self, partitions: Iterable[TopicPartition], timestamp: int) -> Offsets:
        """Returns the offset of each partition's first record that is not older; partitions without one are left
        out.
        """
        return self._offsets(dict.fromkeys(partitions, timestamp))

    def report_loss(self, message: str) -> None:
        """Raises `DataLossError`, or logs a warning if `failOnDataLoss` is false."""
        if self._options.fail_on_data_loss:
            raise DataLossError(f"{message}. {HOW_TO_GO_ON}")
        LOG.warning("%s. Some data was lost; failOnDataLoss is false", message)

    def commit(self, group: str, offsets: Mapping[TopicPartition, int]) -> bool:
        """Commits the query's progress to a group, for tools that show lag; a failure does not harm the query.

        Returns:
            Whether the offsets are committed.
        """
        try:
            self.admin.alter_group_offsets(group, {(topic, number): at for (topic, number), at in offsets.items()})
        except KafkaError as error:
            LOG.warning("offsets of group %r could not be committed: %s", group, error)
            return False
        return True

    def _committed(self, partitions: list[TopicPartition]) -> Offsets:
        group = self._options.commit_group or ""
        found = self._ask(lambda: self.admin.list_group_offsets({group: partitions}))[group]
        rest = self.earliest(each for each in partitions if each not in found)
        return {**rest, **{each: found[each].offset for each in partitions if each in found}}

    def _specific(self, limit: Limit, partitions: list[TopicPartition], given: Mapping[TopicPartition, int]) -> Offsets:
        _check_names(limit.option, partitions, given)
        found = dict(given)
        found.update(self.earliest(each for each, offset in given.items() if offset == EARLIEST))
        found.update(self.latest(each for each, offset in given.items() if offset == LATEST))
        return found

    def _by_time(self, limit: Limit, partitions: list[TopicPartition]) -> Offsets:
        given = limit.timestamps if limit.timestamps is not None else dict.fromkeys(partitions, limit.timestamp or 0)
        _check_names(limit.option, partitions, given)
        found = self._offsets(given)
        without = [each for each in partitions if each not in found]
        if without and not limit.else_latest:
            times = ", ".join(f"{names([each])} at {given[each]}" for each in without)
            raise ConfigError(
                f"{limit.option}: no record is that new: {times}; startingOffsetsByTimestampStrategy=latest begins at the end there"
            )
        return {**found, **self.latest(without)}

    def _offsets(self, wanted: Mapping[TopicPartition, Any]) -> Offsets:
        """Looks up offsets; partitions that do not exist, or have no such record, are left out."""
        if not wanted:
            return {}
        committed = is_committed(self._options)
        answers: Mapping[TopicPartition, Any] = self._ask_each(
            lambda: self.admin.list_offsets(
                # Spark asks for any time; one far away means "no end" in many a program.
                {
                    (topic, number): Milliseconds(at) if isinstance(at, int) else at
                    for (topic, number), at in wanted.items()
                },
                isolation_level="read_committed" if committed else "read_uncommitted",
                return_exceptions=True,
            )
        )
        offsets: Offsets = {}
        for partition, answer in answers.items():
            if isinstance(answer, UnknownTopicOrPartitionError):
                continue
            if isinstance(answer, Exception):
                raise answer
            if answer.offset is not None:
                offsets[partition] = answer.offset
        return offsets

    def _ask_each(self, call: Callable[[], Mapping[Any, Any]]) -> Mapping[Any, Any]:
        """Makes a call about many things, and again while one of them has failed in a way that may pass. If a topic or
        partition is unknown, it tries as often as `_ask`, because a broker that has just started knows no topics yet;
        if one has no leader, or its leader has troubles, it tries for as long as one call may take.
        """
        until = time.monotonic() + API_TIMEOUT_MS / 1_000
        left = self._options.retries
        while True:
            answers = self._ask(call)
            failed = [each for each in answers.values() if isinstance(each, KafkaError) and each.retriable]
            left -= any(isinstance(each, UnknownTopicOrPartitionError) for each in failed)
            if not failed or left <= 0 or time.monotonic() >= until:
                return answers
            unknown = all(isinstance(each, UnknownTopicOrPartitionError) for each in failed)
            time.sleep(self._options.retry_interval if unknown else RETRY_SECONDS)

    def _ask(self, call: Callable[[], T]) -> T:
        """Makes a call up to `fetchOffset.numRetries` times. If no broker can be reached, one attempt is long
        enough.
        """
        for left in reversed(range(self._options.retries)):
            try:
                return call()
            except KafkaError as error:  # noqa: PERF203  each try is a request
                if left == 0 or not error.retriable or isinstance(error, (BootstrapError, KafkaTimeoutError)):
                    raise
                time.sleep(self._options.retry_interval)
        raise AssertionError("there is at least one try")


def _check_names(option: str, partitions: Iterable[TopicPartition], given: Iterable[TopicPartition]) -> None:
    there, said = set(partitions), set(given)
    if there != said:
        wrong = []
        if there - said:
            wrong.append(f"missing are {names(there - said)}")
        if said - there:
            wrong.append(f"there is no {names(said - there)}")
        raise ConfigError(
            f"{option}: must name exactly the partitions that are read (in offsets, -1 stands for latest and -2 for earliest); "
            f"{', and '.join(wrong)}"
        )
