"""The options of the source and of the sink: each is honoured, or refused by name before a job starts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kafkars._discreet import discreet
from kafkars.config import ConsumerConfig, ProducerConfig, checks
from kafkars.config.names import nearest
from kafkars.errors import ConfigError
from kafkars.spark import client_settings, formats, offsets
from kafkars.spark.offsets import EARLIEST, LATEST, Offsets
from kafkars.spark.payload_format import PayloadFormat
from kafkars.types import TopicPartition

OF_SPARK = ("checkpointLocation", "path", "queryName")
"""Options that Spark adds to those of a source."""

OF_TABLES = "provider"
"""The option that Spark adds to those of a table."""

OF_SOURCE = (
    "assign",
    "subscribe",
    "subscribePattern",
    "startingOffsets",
    "startingOffsetsByTimestamp",
    "startingTimestamp",
    "startingOffsetsByTimestampStrategy",
    "endingOffsets",
    "endingOffsetsByTimestamp",
    "endingTimestamp",
    "failOnDataLoss",
    "minPartitions",
    "maxRecordsPerPartition",
    "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger",
    "maxTriggerDelay",
    "includeHeaders",
    "groupIdPrefix",
    "kafkaConsumer.pollTimeoutMs",
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "kafkars.commit.group",
    "kafkars.batch.rows",
    *formats.OPTIONS,
)
OF_SINK = ("topic", "includeHeaders", "kafkars.delivery", "kafkars.transactional.id.prefix", "kafkars.marks.topic")

DURATION = re.compile(r"\s*(\d+)\s*([a-z]*)\s*")
DURATION_SECONDS = {
    **dict.fromkeys(("", "ms"), 0.001),
    "us": 0.000001,
    "s": 1.0,
    **dict.fromkeys(("m", "min"), 60.0),
    "h": 3_600.0,
    "d": 86_400.0,
}
"""Units of Spark's durations, such as 15m, in seconds; a number alone is in ms."""

WHOLE = re.compile(r"[+-]?[0-9]+")
MANY_DIGITS = 100

MOST_ROWS = 2**31 - 1
"""An Arrow array of Spark has no room for more."""

LIMITS = ("earliest", "latest", "committed")
TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")

UNLIKE_PYTHON = re.compile(r"\\[pPQEhHvVRXkGzZ]|&&|\(\?<(?![=!])|[*+?}]\+")
"""Matches what means something else in a regular expression of Java than in one of Python."""


@dataclass(frozen=True)
class Limit:
    """The start or the end of a query."""

    option: str
    """The option that sets it, for messages."""
    named: str | None = None
    """"earliest", "latest" or "committed"."""
    offsets: Mapping[TopicPartition, int] | None = None
    timestamps: Mapping[TopicPartition, int] | None = None
    """Milliseconds since 1970 for each partition."""
    timestamp: int | None = None
    """Milliseconds since 1970 for all partitions."""
    else_latest: bool = False
    """Whether a partition without a record of that time begins at its end, instead of an error."""


@dataclass(frozen=True)
class SourceOptions:
    """The options of a reader. It is pickled to the executors; its `repr` shows no settings of clients."""

    settings: Mapping[str, str] = field(repr=False)
    starting: Limit
    ending: Limit
    assign: tuple[TopicPartition, ...] = ()
    subscribe: tuple[str, ...] = ()
    pattern: str | None = None
    fail_on_data_loss: bool = True
    include_headers: bool = False
    min_partitions: int | None = None
    max_records_per_partition: int | None = None
    max_offsets: int | None = None
    min_offsets: int | None = None
    max_trigger_delay: float = 900.0
    poll_timeout: float = 120.0
    retries: int = 3
    retry_interval: float = 0.01
    commit_group: str | None = None
    batch_rows: int = 50_000
    formats: tuple[PayloadFormat, ...] = ()
    """The formats of keys and values that are decoded; others stay bytes."""
    fail_fast: bool = True
    """Whether a key or value that cannot be decoded fails the query."""


@dataclass(frozen=True)
class SinkOptions:
    """The options of a writer; pickled as those of a reader."""

    settings: Mapping[str, str] = field(repr=False)
    topic: str | None = None
    exactly_once: bool = False
    prefix: str = "kafkars-spark"
    marks_topic: str | None = None
    """The topic for whose partition 0 the marks of progress are committed (see `marks.py`)."""


@discreet
def source_options(given: Mapping[str, str], *, streaming: bool | None) -> SourceOptions:
    """Reads the options of a reader.

    Args:
        given: The options; their names may be in upper or lower case.
        streaming: Whether the query is a streaming one; None while that is not known.

    Raises:
        ConfigError: An option is wrong; the message names it.
    """
    options = Options(given, OF_SOURCE, "source", of_the_other=OF_SINK)
    ways = [name for name in ("assign", "subscribe", "subscribePattern") if options.text(name) is not None]
    if len(ways) != 1:
        said = f"not {' and '.join(ways)}" if ways else "none is given"
        raise ConfigError(f"assign, subscribe, subscribePattern: exactly one of them says what to read; {said}")
    starting = _limit(options, "starting", "earliest" if streaming is False else "latest")
    ending = _limit(options, "ending", "latest")
    if streaming:
        _check_streaming(options)
    elif streaming is False:
        _check_batch(starting, ending)
    least, most = options.positive("minOffsetsPerTrigger"), options.positive("maxOffsetsPerTrigger")
    if least is not None and most is not None and least > most:
        raise ConfigError(f"minOffsetsPerTrigger: {least} is more than maxOffsetsPerTrigger, {most}")
    group = _group(options)
    if starting.named == "committed" and group is None:
        raise ConfigError("startingOffsets: committed needs kafkars.commit.group, the group whose offsets are meant")
    assigned = tuple(offsets.parse_partitions("assign", options.get("assign", ""))) if "assign" in ways else ()
    subscribed = _topics(options) if "subscribe" in ways else ()
    named = tuple(dict.fromkeys([*subscribed, *(each.topic for each in assigned)]))
    settings = options.settings()
    client_settings.check_client(settings, ConsumerConfig)
    return SourceOptions(
        settings=settings,
        starting=starting,
        ending=ending,
        assign=assigned,
        subscribe=subscribed,
        pattern=_pattern(options.get("subscribePattern", "")) if "subscribePattern" in ways else None,
        fail_on_data_loss=options.flag("failOnDataLoss", default=True),
        include_headers=options.flag("includeHeaders", default=False),
        min_partitions=options.positive("minPartitions"),
        max_records_per_partition=options.positive("maxRecordsPerPartition"),
        max_offsets=most,
        min_offsets=least,
        max_trigger_delay=_duration("maxTriggerDelay", options.get("maxTriggerDelay", "15m")),
        poll_timeout=(options.positive("kafkaConsumer.pollTimeoutMs") or 120_000) / 1_000,
        retries=options.positive("fetchOffset.numRetries") or 3,
        retry_interval=(options.number("fetchOffset.retryIntervalMs", 0) or 10) / 1_000,
        commit_group=group,
        batch_rows=options.number("kafkars.batch.rows", 1, MOST_ROWS) or 50_000,
        fail_fast=formats.fails_fast(options),
        formats=formats.read(options, named),
    )


@discreet
def sink_options(given: Mapping[str, str], *, streaming: bool) -> SinkOptions:
    """Reads the options of a writer.

    Raises:
        ConfigError: An option is wrong; the message names it.
    """
    options = Options(given, OF_SINK, "sink", of_the_other=OF_SOURCE)
    delivery = options.get("kafkars.delivery", "at-least-once").lower()
    if delivery not in {"at-least-once", "exactly-once"}:
        raise ConfigError(
            f'kafkars.delivery: expected "at-least-once" or "exactly-once", not {checks.shown(delivery, ("at-least-once", "exactly-once"))}'
        )
    if delivery == "exactly-once" and not streaming:
        raise ConfigError("kafkars.delivery: exactly-once is for streams: only they have a checkpoint to go on from")
    for name in ("kafkars.transactional.id.prefix", "kafkars.marks.topic"):
        if options.text(name) is not None and delivery != "exactly-once":
            raise ConfigError(f"{name}: of no use without kafkars.delivery=exactly-once")
    prefix = options.text("kafkars.transactional.id.prefix")
    if prefix is not None and not prefix:
        raise ConfigError("kafkars.transactional.id.prefix: is empty")
    topic = _topic(options, "topic")
    options.flag("includeHeaders", default=False)
    settings = options.settings()
    transactional = {"transactional_id": "kafkars-spark"} if delivery == "exactly-once" else {}
    client_settings.check_client(settings, ProducerConfig, **transactional)
    return SinkOptions(
        settings=settings,
        topic=topic,
        exactly_once=delivery == "exactly-once",
        prefix=prefix or "kafkars-spark",
        marks_topic=_topic(options, "kafkars.marks.topic") or topic,
    )


def is_committed(options: SourceOptions) -> bool:
    """True if only records are read whose transaction has been committed."""
    return options.settings.get("isolation_level", "").strip().lower() == "read_committed"


class Options:
    """Options by name, in upper or lower case; each is checked when it is read."""

    def __init__(self, given: Mapping[str, str], known: Iterable[str], what: str, of_the_other: Iterable[str]) -> None:
        self._known = {name.lower(): name for name in known}
        self._values: dict[str, str] = {}
        self.kafka: dict[str, str] = {}
        others = {name.lower() for name in of_the_other}
        ignored = {name.lower() for name in OF_SPARK}
        if OF_TABLES in given:
            raise ConfigError(
                "CREATE TABLE: Spark hands the options of a table to no source in Python when it reads; use CREATE TEMPORARY "
                "VIEW ... USING kafkars OPTIONS (...)"
            )
        for key, value in given.items():
            name = key.lower()
            if name.startswith(client_settings.PREFIX):
                self.kafka[name.removeprefix(client_settings.PREFIX)] = value
            elif name in self._known:
                checks.without_key(self._known[name], value)
                self._values[name] = value
            elif name not in ignored:
                raise ConfigError(self._unknown(key, what, in_the_other=name in others))

    def settings(self) -> dict[str, str]:
        """Returns settings of our clients from the options that begin with `kafka.`."""
        if not self.kafka.get("bootstrap.servers", "").strip():
            raise ConfigError('kafka.bootstrap.servers: missing; name at least one broker, such as "localhost:9092"')
        settings = client_settings.translate(self.kafka)
        client_settings.check(settings)
        return settings

    def as_given(self, name: str) -> str | None:
        """Returns the value as it is; None if it is not given."""
        return self._values.get(name.lower())

    def text(self, name: str) -> str | None:
        """Returns the value without spaces around it; None if it is not given."""
        value = self.as_given(name)
        return None if value is None else value.strip()

    def get(self, name: str, default: str) -> str:
        """Returns the value without spaces around it, or a default."""
        value = self.text(name)
        return default if value is None else value

    def flag(self, name: str, *, default: bool) -> bool:
        """Returns the value as a boolean."""
        value = self.get(name, str(default)).lower()
        if value not in {"true", "false"}:
            raise ConfigError(f"{name}: expected true or false, not {checks.shown(value, checks.FLAG_WORDS)}")
        return value == "true"

    def number(self, name: str, least: int, most: int = 2**63 - 1) -> int | None:
        """Returns the value as a whole number from `least` to `most`, in the digits that Java reads."""
        value = self.text(name)
        if value is None:
            return None
        # Java's longest number has 19 digits; Python refuses to read some thousand of them.
        is_whole = WHOLE.fullmatch(value) is not None and len(value) < MANY_DIGITS
        number = int(value) if is_whole else least - 1
        if not least <= number <= most:
            expected = f"from {least} to {most}" if number > most else f"of at least {least}"
            shown = number if is_whole else checks.shown(value)
            raise ConfigError(f"{name}: expected a whole number {expected}, not {shown}")
        return number

    def positive(self, name: str) -> int | None:
        """Returns the value as a whole number above 0."""
        return self.number(name, 1)

    def _unknown(self, key: str, what: str, *, in_the_other: bool) -> str:
        if in_the_other:
            return f"{key}: not an option of the {what}"
        near = nearest(key.lower(), self._known)
        return f"{key}: unknown option of the {what}" + (f"; did you mean {self._known[near]}?" if near else "")


def _check_streaming(options: Options) -> None:
    for name in ("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp"):
        if options.text(name) is not None:
            raise ConfigError(f"{name}: a stream has no end; it is an option of batch queries")


def _check_batch(starting: Limit, ending: Limit) -> None:
    if starting.named == "latest" or LATEST in (starting.offsets or {}).values():
        raise ConfigError(f"{starting.option}: a batch query cannot begin at the latest offset")
    if ending.named == "earliest" or EARLIEST in (ending.offsets or {}).values():
        raise ConfigError(f"{ending.option}: a batch query cannot end at the earliest offset")
    for one, other in ((starting.offsets, ending.offsets), (starting.timestamps, ending.timestamps)):
        if one is not None and other is not None:
            _check_order(starting.option, ending.option, one, other)


def _check_order(start: str, end: str, one: Mapping[TopicPartition, int], other: Mapping[TopicPartition, int]) -> None:
    if one.keys() != other.keys():
        named = offsets.names(one.keys() ^ other.keys())
        raise ConfigError(f"{start}, {end}: they name other partitions; only one of them has {named}")
    for partition, offset in one.items():
        if offset > other[partition] >= 0:
            raise ConfigError(
                f"{start}, {end}: {offsets.names([partition])} would begin at {offset}, behind its end at {other[partition]}"
            )


def _limit(options: Options, which: str, default: str) -> Limit:
    """Reads the start or the end of the query. Of several options the same one wins as in Spark's own source."""
    strategy = options.get("startingOffsetsByTimestampStrategy", "error").lower()
    if strategy not in {"error", "latest"}:
        raise ConfigError(
            f'startingOffsetsByTimestampStrategy: expected "error" or "latest", not {checks.shown(strategy, ("error", "latest"))}'
        )
    else_latest = strategy == "latest" or which == "ending"
    option = f"{which}Timestamp"
    if options.text(option) is not None:
        return Limit(option, timestamp=options.number(option, 0), else_latest=else_latest)
    option = f"{which}OffsetsByTimestamp"
    if (text := options.text(option)) is not None:
        return Limit(
            option,
            timestamps=_not_negative(option, offsets.parse_offsets(option, text, what="timestamp")),
            else_latest=else_latest,
        )
    option = f"{which}Offsets"
    text = options.get(option, default)
    named = ("earliest", "latest", "committed") if which == "starting" else ("latest",)
    if text.lower() in {*named, "earliest"}:
        return Limit(option, named=text.lower())
    if not text.startswith("{"):
        words = ", ".join(f'"{each}"' for each in named)
        raise ConfigError(
            f'{option}: expected {words} or JSON such as {{"topicA":{{"0":23,"1":-1}}}}, not {checks.shown(text, LIMITS)}'
        )
    found = offsets.parse_offsets(option, text)
    if any(offset < EARLIEST for offset in found.values()):
        raise ConfigError(f"{option}: an offset is below -2, which stands for earliest (-1 for latest): {text}")
    return Limit(option, offsets=found)


def _not_negative(option: str, found: Offsets) -> Offsets:
    if any(timestamp < 0 for timestamp in found.values()):
        raise ConfigError(f"{option}: timestamps are in ms since 1970 and not negative")
    return found


def _group(options: Options) -> str | None:
    """The group that shows how far the query is; both options mean it."""
    given = {
        "kafkars.commit.group": options.text("kafkars.commit.group"),
        "kafka.group.id": options.kafka.get("group.id"),
    }
    for name, group in given.items():
        if group is not None and not group.strip():
            raise ConfigError(f"{name}: is empty")
    groups = {group for group in given.values() if group is not None}
    if len(groups) > 1:
        raise ConfigError(f"{', '.join(given)}: they name two groups, and offsets are committed for one; leave one out")
    return next(iter(groups), None)


def _topic(options: Options, name: str) -> str | None:
    topic = options.as_given(name)
    if topic is None:
        return None
    if not topic.strip():
        raise ConfigError(f"{name}: is empty")
    if not TOPIC.fullmatch(topic) or topic in {".", ".."}:
        raise ConfigError(
            f"{name}: no topic can be called {checks.shown(topic)}; a name has 1 to 249 of A-Z, a-z, 0-9, '.', '_' and '-'"
        )
    return topic


def _topics(options: Options) -> tuple[str, ...]:
    topics = [each.strip() for each in options.get("subscribe", "").split(",") if each.strip()]
    if not topics:
        raise ConfigError("subscribe: names no topic")
    return tuple(dict.fromkeys(topics))


def _pattern(text: str) -> str:
    if not text:
        raise ConfigError("subscribePattern: is empty")
    unlike = UNLIKE_PYTHON.search(text)
    if unlike is not None:
        raise ConfigError(
            f"subscribePattern: {unlike.group()!r} in {text!r} is not supported; what regular expressions of Java and Python "
            "have in common is"
        )
    try:
        re.compile(text)
    except re.error as error:
        raise ConfigError(f"subscribePattern: {text!r} is no regular expression: {error}") from None
    return text


def _duration(name: str, text: str) -> float:
    match = DURATION.fullmatch(text.lower())
    if match is None or match.group(2) not in DURATION_SECONDS:
        raise ConfigError(f"{name}: expected a duration such as 30s or 15m, not {checks.shown(text)}")
    return int(match.group(1)) * DURATION_SECONDS[match.group(2)]
