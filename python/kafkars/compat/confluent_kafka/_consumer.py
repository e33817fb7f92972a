"""`confluent_kafka.Consumer`."""

from __future__ import annotations

import logging
import math
import operator
import re
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from kafkars import errors
from kafkars._discreet import discreet
from kafkars._kafkars import ConfluentConsumer, Message, PendingFlag
from kafkars._kafkars import Consumer as Engine
from kafkars.compat.confluent_kafka import _arguments as arguments
from kafkars.compat.confluent_kafka._assignment import Assignment
from kafkars.compat.confluent_kafka._commits import Commits, given, with_others
from kafkars.compat.confluent_kafka._config import consumer_settings
from kafkars.compat.confluent_kafka._ending import Ending
from kafkars.compat.confluent_kafka._events import events_of
from kafkars.compat.confluent_kafka._handlers import ConsumerPolls
from kafkars.compat.confluent_kafka._lookups import Lookups, unknown_partitions
from kafkars.compat.confluent_kafka._membership import Membership
from kafkars.compat.confluent_kafka._offsets import INVALID, STORED
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._pending import Pending
from kafkars.compat.confluent_kafka._rebalance import Callback, Callbacks, Listener
from kafkars.compat.confluent_kafka._translate import of_engine, refusal, translated
from kafkars.compat.confluent_kafka._trouble import Trouble
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.config.checks import Derived
from kafkars.config.consumer import ConsumerConfig

if TYPE_CHECKING:
    from typing_extensions import Self

log = logging.getLogger("kafkars.compat")

LEAVE_SECONDS = 30.0
"""Seconds for which `close()` waits for the coordinator, with its last commit."""
GONE_SECONDS = 1.0
"""The same if no broker can be connected to and nothing is to be committed, and the least after a commit in vain."""


class Consumer(ConfluentConsumer):
    """Reads messages, as a member of a group or from partitions that the program assigns.

    Callbacks run in `poll()`, `consume()` and `close()`, on the thread that calls.

    Args:
        config: Properties of librdkafka by their dotted names, and `error_cb`, `stats_cb`, `throttle_cb`, `on_commit`,
            `logger`.
        kwargs: The same by name; they win.

    Raises:
        KafkaException: A property is unknown or cannot be used; the code is `_INVALID_ARG`.
        ValueError: There is no `group.id`.
        TypeError: There is no configuration.
    """

    # No instance dictionary: every call of poll() would look there first.
    # Names end with an underscore because the library's class has none that a subclass could meet.
    __slots__ = (
        "__weakref__",
        "_assignment_",
        "_commits_",
        "_engine_",
        "_events_",
        "_face_",
        "_is_leaving_",
        "_lookups_",
        "_membership_",
        "_pending_",
        "_settings_",
        "_trouble_",
    )

    @discreet
    def __init__(self, config: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """See the class."""
        arguments.first_time(self)
        settings = consumer_settings(() if config is None else (config,), kwargs)
        face, values = settings.face, settings.values
        # Automatic commits are made here. kafkars' own would also commit the initial offsets of assigned partitions,
        # and retry for long if one does not exist. The library commits after messages were returned or offsets stored,
        # and calls `on_commit`.
        is_own = face.enable_auto_commit
        with translated("Failed to create consumer"), Derived():
            self._settings_ = settings
            changed: dict[str, Any] = {"enable_auto_commit": False} if is_own else {}
            self._engine_: Any = Engine(ConsumerConfig(**{**settings.engine, **changed}))
        self._is_leaving_ = False
        self._pending_ = PendingFlag()
        self._face_ = face
        self._trouble_ = Trouble(face, self._engine_._brokers, settings.credentials.refused)
        # The parts must not keep the consumer: one that is dropped ends then, and not with the next garbage collection.
        own = partial(weakly, self)
        is_newer = values["group.protocol"] == "consumer"
        pending = Pending(own("_uncommitted_"), own("_position_"), stores_itself=face.enable_auto_offset_store)
        self._commits_ = Commits(self._engine_, pending, self._pending_.set, face, is_own=is_own)
        self._assignment_ = Assignment(
            self._engine_,
            own("_forget_"),
            own("_begin_"),
            own("_hand_back_"),
            own("_seek_to_committed_"),
            own("_unknown_partition_"),
            self._commits_.let_go,
            self._commits_.set_aside,
            is_cooperative=is_newer or values["partition.assignment.strategy"] == "cooperative-sticky",
            is_reset_to_end=settings.engine["auto_offset_reset"] == "latest",
        )
        self._membership_ = Membership(self._engine_, self._assignment_, own("_own_member_id_"), is_newer=is_newer)
        self._lookups_ = Lookups(self._engine_, own("_refused_"), self._assignment_)
        self._events_ = events_of(face, values, self._engine_, self._pending_, self._commits_)
        handler = ConsumerPolls(
            self._events_, self._commits_, self._assignment_.places, self._trouble_, self._membership_
        )
        self._open_(self._engine_, self._pending_, handler, face.enable_partition_eof)
        self._trouble_.watch(self._engine_, self._pending_)
        if is_own and face.auto_commit_interval > 0:
            self._pending_.set_every(face.auto_commit_interval)

    # --- what is read

    def subscribe(
        self,
        topics: list[str],
        on_assign: Callback | None = None,
        on_revoke: Callback | None = None,
        on_lost: Callback | None = None,
    ) -> None:
        """Reads topics as a member of the group, instead of what was subscribed before.

        Args:
            topics: Names; those that begin with `^` are regular expressions.
            on_assign: Called with the consumer and the partitions that have come. It may `assign()` them with other
                offsets.
            on_revoke: Called with the consumer and the partitions that go.
            on_lost: The same for partitions that are gone already; without it `on_revoke` is called.

        Raises:
            KafkaException: The list is empty, or a name or expression is not valid.
            TypeError: Topics are no list, or a callback cannot be called.
        """
        self._check_()
        if not isinstance(topics, list):
            raise TypeError(f"expected list of topic unicode strings, not {type(topics).__name__}")
        names = [str(topic) for topic in topics]
        named = {"on_assign": on_assign, "on_revoke": on_revoke, "on_lost": on_lost}
        callbacks = Callbacks(
            **{name: arguments.function(name, each) for name, each in named.items() if each is not None}
        )
        if not names or not all(names) or len(set(names)) < len(names):
            text = "Failed to set subscription: there is no topic, one without a name, or one twice"
            raise refusal("_INVALID_ARG", text)
        self._trouble_.check_alive()
        listener = Listener(self, callbacks)
        listeners = {
            "on_partitions_assigned": listener.assigned,
            "on_partitions_revoked": listener.revoked,
            "on_partitions_lost": listener.lost,
        }
        is_again = self._assignment_.is_subscribed and set(names) == self._assignment_.subscription
        with translated("Failed to set subscription"), valid_pattern():
            if not self._assignment_.is_subscribed:
                self._assignment_.unassign_own()
            if any(name.startswith("^") for name in names):
                self._engine_.subscribe(pattern=pattern(names), **listeners)
            else:
                self._engine_.subscribe(names, **listeners)
            if is_again and self._assignment_.is_eager and self._engine_.health().state == "stable":
                # For kafkars nothing has changed, but the library revokes everything and joins again.
                self._engine_.enforce_rebalance("the application has subscribed again")
        self._is_leaving_ = False
        self._assignment_.is_subscribed = True
        self._assignment_.subscription = set(names)
        self._trouble_.forget()
        if not self._membership_.is_newer:
            # A group of the newer protocol waits for topics silently, as in the library.
            self._find_missing_([name for name in names if not name.startswith("^")])

    def unsubscribe(self) -> None:
        """Gives up the subscription; a later poll calls `on_revoke`."""
        self._check_()
        self._trouble_.check_alive()
        self._is_leaving_ = True
        if self._assignment_.is_in_callback:
            # The engine cannot leave while it waits for the callback; the poll that has called it goes on with this.
            self._events_.push(self._leave_now_)
        else:
            self._leave_now_()

    def _leave_now_(self) -> None:
        """Gives up the subscription, if the program has not subscribed anew since it asked for that."""
        if not self._is_leaving_:
            return
        self._is_leaving_ = False
        self._leave_()
        if self._assignment_.is_subscribed:
            self._membership_.end()
        self._assignment_.is_subscribed = False

    def assign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions and no others: from their offsets, or from what the group has committed.

        Raises:
            KafkaException: The group does not let this member have them.
        """
        self._check_()
        self._assignment_.assign(arguments.partitions(partitions))
        self._trouble_.forget()
        self._membership_.choose()

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions too.

        Raises:
            KafkaException: One is assigned already.
        """
        self._check_()
        self._assignment_.incremental_assign(arguments.partitions(partitions))
        self._membership_.choose()

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions no longer.

        Raises:
            KafkaException: One is not assigned.
        """
        self._check_()
        self._assignment_.incremental_unassign(arguments.partitions(partitions))

    def unassign(self) -> None:
        """Reads nothing."""
        self._check_()
        self._assignment_.unassign()

    def assignment(self) -> list[TopicPartition]:
        """The assigned partitions, with the offsets they were assigned with."""
        self._check_()
        return self._assignment_.shown()

    def pause(self, partitions: list[TopicPartition]) -> None:
        """Returns no messages of these partitions until `resume()`, also if they are assigned later. Those of topics
        that this consumer has never had are left out.
        """
        self._check_()
        self._assignment_.pause([arguments.place(each) for each in arguments.partitions(partitions)])

    def resume(self, partitions: list[TopicPartition]) -> None:
        """Ends a pause."""
        self._check_()
        for at in self._assignment_.resume([arguments.place(each) for each in arguments.partitions(partitions)]):
            # As in the library, the end of a partition is told again after a pause.
            self._forget_end_(*at)

    def seek(self, partition: TopicPartition) -> None:
        """Sets the position to the offset of the `TopicPartition`.

        Raises:
            KafkaException: The partition is not assigned, or the offset cannot be sought.
        """
        self._check_()
        place = arguments.place(arguments.partition(partition))
        what = f"Failed to seek to offset {partition.offset}"
        if place not in self._assignment_:
            raise refusal(self._not_assigned_(place), f"{what}: the partition is not assigned")
        if partition.offset == STORED:
            raise refusal("_INVALID_ARG", f"{what}: committed() tells the offset that is stored")
        with translated(what), self._commits_.seeking(place):
            self._assignment_.seek(partition)
        self._trouble_.forget()

    # --- offsets

    def position(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Returns for each partition the offset after the last returned message; `OFFSET_INVALID` if there was none."""
        self._check_()
        answers = []
        for each in arguments.partitions(partitions):
            offset, epoch = self._position_(each.topic, each.partition) or (INVALID, -1)
            answers.append(each._answer(offset, leader_epoch=epoch if epoch >= 0 else None))
        return answers

    def store_offsets(self, message: Message | None = None, offsets: list[TopicPartition] | None = None) -> None:
        """Keeps the offset after a message, or offsets, for the next commit. Needs `enable.auto.offset.store=false`.

        Raises:
            KafkaException: The consumer stores offsets by itself, or no partition of those is assigned.
            ValueError: Both or neither is given.
        """
        self._check_()
        if message is not None and offsets is not None:
            raise ValueError("message and offsets are mutually exclusive")
        if message is None and offsets is None:
            raise ValueError("expected either message or offsets")
        places = self._given_(message, offsets, "store")
        if self._face_.enable_auto_offset_store:
            raise refusal(
                "_INVALID_ARG", "StoreOffsets failed: the consumer stores by itself; set enable.auto.offset.store=false"
            )
        known = {place: offset for place, offset in places.items() if place in self._assignment_}
        # Partitions without an offset to store count, too: it is an error if none of all is assigned.
        named = set(places) | {arguments.place(each) for each in offsets or ()}
        if named and not any(place in self._assignment_ for place in named):
            raise refusal(self._not_assigned_(*named), "StoreOffsets failed: the partition is not assigned")
        self._commits_.store(known)

    @overload
    def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        asynchronous: Literal[True] = True,
        **kwargs: Any,
    ) -> None: ...

    @overload
    def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        *,
        asynchronous: Literal[False],
        **kwargs: Any,
    ) -> list[TopicPartition]: ...

    @overload
    def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        asynchronous: bool = True,
        **kwargs: Any,
    ) -> list[TopicPartition] | None: ...

    def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        asynchronous: bool = True,
        **kwargs: Any,
    ) -> list[TopicPartition] | None:
        """Commits the offset after a message, offsets, or those of returned messages or stored ones.

        Args:
            message: A message.
            offsets: Partitions with offsets.
            asynchronous: Whether to return at once; `on_commit` hears of the outcome in a later poll.
            kwargs: `async`, the older name of `asynchronous`.

        Returns:
            None, or what was committed.

        Raises:
            KafkaException: It was not committed, or there was nothing to commit.
            KeyboardInterrupt: It was committed; Ctrl+C came within a `consume()` that had messages to return.
            ValueError: Message and offsets are given.
        """
        self._check_()
        asynchronous = bool(kwargs.pop("async", asynchronous))
        if kwargs:
            raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for commit()")
        if message is not None and offsets is not None:
            raise ValueError("message and offsets are mutually exclusive")
        is_named = message is not None or offsets is not None
        places = self._given_(message, offsets) if is_named else self._commits_.pending()
        lost = self._membership_.loss(is_named=is_named) if places or not is_named else None
        if lost is not None and not is_named:
            places, named = {}, []
        elif offsets is not None:
            named = offsets
        else:
            others = list if is_named else self._assignment_.places
            named = self._commits_.told_of(places, others) if asynchronous else with_others(places, others())
        if not asynchronous:
            self._trouble_.check_alive()
        refused = lost or (self._membership_.refusal() if places else None)
        if not asynchronous:
            if refused is not None:
                raise KafkaException(refused)
            committed = self._commits_.commit(places, named, is_chosen=is_named)
            self._raise_kept_(only_interrupts=True)
            return committed
        refused = self._trouble_.end() or refused
        with translated("Commit failed"):
            if refused is not None:
                self._commits_.refuse(named, refused)
            else:
                self._commits_.commit_later(places, named, is_chosen=is_named)
        self._raise_kept_(only_interrupts=True)
        return None

    def committed(self, partitions: list[TopicPartition], timeout: float = -1) -> list[TopicPartition]:
        """Returns the committed offset of each partition; `OFFSET_INVALID` if there is none.

        Raises:
            KafkaException: No answer in time, or a refusal.
        """
        limit = arguments.seconds(timeout)
        self._check_()
        asked = arguments.partitions(partitions)
        # The others cannot exist in any cluster, so nothing can be committed for them.
        possible = [arguments.place(each) for each in asked if each.topic and each.partition >= 0]
        found, denied = self._committed_(possible, limit) if possible else ({}, {})
        answers = []
        for each in asked:
            at = found.get(arguments.place(each))
            answers.append(
                each._answer(INVALID, error=denied[each.topic])
                if each.topic in denied
                else each._answer(INVALID)
                if at is None
                else each._answer(
                    at.offset, metadata=arguments.committed_text(at.metadata), leader_epoch=at.leader_epoch
                )
            )
        return answers

    def _committed_(
        self, places: list[arguments.Place], timeout: float | None
    ) -> tuple[Mapping[arguments.Place, Any], dict[str, KafkaError]]:
        """Returns what is committed, and the errors of topics of which this client may not be told."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        denied: dict[str, KafkaError] = {}
        # As in librdkafka, an open transaction is waited for only by who reads what is committed.
        require_stable = self._settings_.engine["isolation_level"] == "read_committed"
        # The engine's answer is about all that was asked for; the coordinator's was about each partition.
        while asked := [at for at in places if at[0] not in denied]:
            left = None if timeout is None else max(until - time.monotonic(), 0.0)
            try:
                with translated("Failed to get committed offsets"):
                    return self._engine_.committed(asked, require_stable=require_stable, timeout=left), denied
            except KafkaException as raised:
                problem = raised.__cause__
                if not isinstance(problem, errors.TopicAuthorizationFailedError) or problem.topic is None:
                    raise
                denied[problem.topic] = of_engine(problem)
        return {}, denied

    def get_watermark_offsets(
        self, partition: TopicPartition, timeout: float = -1, cached: bool = False
    ) -> tuple[int, int]:
        """Returns the low and the high watermark of a partition.

        Args:
            partition: Which.
            timeout: Most seconds to wait for the cluster.
            cached: Whether to tell what the last fetch told instead; `OFFSET_INVALID` before the first.

        Raises:
            KafkaException: There is no such partition, or no answer in time.
        """
        cached = bool(operator.index(cached))
        limit = arguments.seconds(timeout)
        self._check_()
        place = arguments.place(arguments.partition(partition))
        if cached:
            # Also of a partition that the program has given up and the group has not taken away yet.
            known = None
            with suppress(errors.NotAssignedError):
                known = self._engine_.watermarks(place)
            return (INVALID, INVALID) if known is None else (known.low, known.high)
        with unknown_partitions("Failed to get watermark offsets"):
            return self._lookups_.watermarks(place, limit)

    def offsets_for_times(self, partitions: list[TopicPartition], timeout: float = -1) -> list[TopicPartition]:
        """Returns for each partition the offset of the first message that is not older than the timestamp in `offset`.

        Returns:
            The partitions with the offsets found, `OFFSET_END` where all messages are older; or with an error, where
            there is no such partition, or none that this client may be told of.

        Raises:
            KafkaException: There is none of these partitions, or no answer in time.
        """
        limit = arguments.seconds(timeout)
        self._check_()
        asked = arguments.partitions(partitions)
        if not asked:
            raise refusal("_INVALID_ARG", "Failed to get offsets: there is no partition to ask for")
        with unknown_partitions("Failed to get offsets"):
            answers = self._lookups_.for_times(asked, limit)
        problems = [each.error for each in answers if each.error is not None]
        if len(problems) == len(answers):
            raise refusal("_UNKNOWN_PARTITION", f"Failed to get offsets: {problems[0].str()}")
        return answers

    # --- membership

    def memberid(self) -> Any:
        """Returns the member id, a `str`; None outside of a group, where the group's coordinator makes it."""
        self._check_()
        return self._engine_.group_metadata().member_id or self._own_member_id_()

    def consumer_group_metadata(self) -> bytes:
        """Returns the membership of its group, for `Producer.send_offsets_to_transaction()`."""
        self._check_()
        return self._membership_.packed()

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> Any:
        """The cluster's brokers and topics, or one topic.

        Raises:
            KafkaException: No answer in time.
        """
        limit = arguments.seconds(timeout)
        arguments.topic(topic)
        self._check_handle_()
        cluster = import_module("kafkars.compat.confluent_kafka._cluster")
        return cluster.list_topics(self._settings_.engine, topic, limit)

    def cluster_id(self, timeout: float = -1) -> str | None:
        """The cluster's id.

        Raises:
            KafkaException: No answer in time.
        """
        limit = arguments.seconds(timeout)
        self._check_handle_()
        cluster = import_module("kafkars.compat.confluent_kafka._cluster")
        found: str | None = cluster.cluster_id(self._settings_.engine, limit)
        return found

    @discreet
    def set_sasl_credentials(self, username: str, password: str) -> None:
        """Sets the name and the password of later logins."""
        arguments.credentials(username, password)
        self._check_()
        self._settings_.credentials.change(username, password)

    # --- life

    def close(self) -> None:
        """Leaves the group, where `on_revoke` runs, commits what is to be committed by itself, and ends. May be called
        again.

        Raises:
            KeyboardInterrupt: Ctrl+C came, within this call or a `consume()` that had messages to return, and the
                consumer is closed. Further ones within this call end its wait, for the commit and for the group, and
                another call closes what is open then.
            Exception: What a callback has raised last; the consumer is closed.
        """
        if not hasattr(self, "_engine_") or self._engine_._has_ended():
            return
        if self._assignment_.is_closing and self._assignment_.is_in_callback:
            # The call that has called `on_revoke` goes on, and commits.
            return
        ending = Ending(LEAVE_SECONDS, "the consumer commits and leaves its group")
        until = time.monotonic() + LEAVE_SECONDS
        leave = self._commits_.leaving(self._assignment_.own(), ending)
        with ending.raising_at_the_end():
            ending.through(lambda: self._end_(ending, leave, until))
            # There is no later call that could raise what a `consume()` with messages has kept.
            self._raise_kept_(only_interrupts=False)

    def _end_(self, ending: Ending, leave: Callable[[Callable[[], bool]], None], until: float) -> None:
        """The steps of `close()`, which are done again where an interrupt comes between them.

        Args:
            ending: The waits.
            leave: Commits what the program has assigned itself.
            until: When the group is left without an answer.
        """
        if not self._engine_._has_ended():
            self._assignment_.is_closing = True
            # Callbacks that wait for the next poll, such as `on_lost`, run now.
            ending.keep(self._events_.serve)
            ending.keep(self._commits_.tell_refused)
            leave(lambda: not self._trouble_.is_down())
            self._commits_.forget(self._assignment_.own())
            is_in_vain = self._trouble_.is_down() and not (self._face_.enable_auto_commit and self._commits_.pending())
            try:
                self._engine_.close(GONE_SECONDS if is_in_vain else max(GONE_SECONDS, until - time.monotonic()))
            except errors.KafkaError as error:
                # As in librdkafka, which reports a failed last commit to `on_commit` only.
                log.warning("the last commit failed: %s", error)
            except BaseException as problem:
                if not self._engine_._has_ended():
                    raise
                # Also an interrupt has not kept it from being closed.
                ending.kept.append(problem)
        self._events_.close()

    def __enter__(self) -> Self:
        """See `close()`. As in the library, this is no error for a closed consumer."""
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, exc_traceback: TracebackType | None
    ) -> None:
        """See `close()`; that of a subclass is not called, as in the library."""
        Consumer.close(self)

    # --- calls of the parts of the consumer

    def _begin_(self, topic: str, partition: int) -> None:
        """A partition is assigned: neither its commits nor its errors have to do with what was before."""
        self._commits_.anew(topic, partition)
        self._trouble_.forget((topic, partition))

    def _not_assigned_(self, *places: arguments.Place) -> str:
        """Returns the code for partitions that are not assigned: the library knows those of topics that it has read."""
        return "_STATE" if any(topic in self._assignment_.topics for topic, _ in places) else "_UNKNOWN_PARTITION"

    def _unknown_partition_(self, topic: str, partition: int) -> None:
        """Makes a later poll report that an assigned partition cannot exist."""
        self._trouble_.unknown(topic, partition)
        self._pending_.set()

    def _given_(
        self, message: Message | None, offsets: list[TopicPartition] | None, what: Literal["commit", "store"] = "commit"
    ) -> dict[arguments.Place, Any]:
        """Returns the offsets to commit or to store."""
        if message is None:
            return given(arguments.partitions(offsets))
        topic, partition, offset = arguments.message(message).topic(), message.partition(), message.offset()
        problem = message.error()
        if problem is not None:
            raise refusal("_INVALID_ARG", f"Cannot {what} offsets for message with error: {problem.str()!r}")
        if topic is None or partition is None:
            raise refusal("_INVALID_ARG", f"Cannot {what} offsets for a message without topic or partition")
        if offset is None:
            nowhere = "_NO_OFFSET" if what == "commit" else "_INVALID_ARG"
            raise refusal(nowhere, f"Cannot {what} offsets for a message without offset")
        return given([TopicPartition(topic, partition, offset + 1, None, message.leader_epoch())])

    def _check_handle_(self) -> None:
        """Raises the error of a closed consumer, in the words of calls that only ask the cluster."""
        try:
            self._check_()
        except RuntimeError:
            raise RuntimeError("Handle has been closed") from None


def weakly(of: object, method: str) -> Callable[..., Any]:
    """Returns a method as a function that does not keep its object."""
    me = weakref.proxy(of)

    def call(*arguments: Any) -> Any:
        return getattr(me, method)(*arguments)

    return call


@contextmanager
def valid_pattern() -> Iterator[None]:
    """Raises the library's error for a regular expression that is not valid."""
    try:
        yield
    except errors.InvalidRegularExpressionError as problem:
        raise refusal("_INVALID_ARG", f"Failed to set subscription: {problem}") from problem


def pattern(names: list[str]) -> str:
    """Returns one regular expression for subscribed topics: names, and expressions, which begin with `^`."""
    alternatives = [f"(?:{name}).*" if name.startswith("^") else re.escape(name) for name in names]
    return "|".join(f"(?:{each})" for each in alternatives)
