"""Which offsets a group commits, who may, and where its members start."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import OffsetAndMetadata, TopicPartition
from kafkars.errors import (
    BootstrapError,
    CommitFailedError,
    IllegalGenerationError,
    InvalidArgumentError,
    KafkaTimeoutError,
    MaxPollIntervalExceededError,
    NoOffsetError,
    OffsetMetadataTooLargeError,
    OffsetOutOfRangeError,
    StaleMemberEpochError,
    UnknownTopicOrPartitionError,
)

from tests.support.clients import Clients, numbers, read, values
from tests.support.groups import Group, assigned, native, poll_until
from tests.support.waiting import SECONDS, Stopwatch, eventually


def test_a_commit_has_metadata_and_the_epoch_of_the_leader(group: Group) -> None:
    member = group.member(enable_auto_commit=False)
    partition = TopicPartition(group.topic, 1)
    member.assign([partition])
    read(member, 4)
    stored = member.commit()[partition]
    assert (stored.offset, stored.metadata) == (4, "")
    assert stored.leader_epoch is not None
    assert member.committed([partition])[partition] == stored
    member.commit({partition: OffsetAndMetadata(2, "again, slowly", stored.leader_epoch)})
    assert member.committed([partition])[partition] == OffsetAndMetadata(2, "again, slowly", stored.leader_epoch)


def test_the_first_commit_waits_for_no_retry(group: Group) -> None:
    partition = TopicPartition(group.topic, 0)
    # Makes the topic of offsets, should this be the first group of the cluster.
    group.member(enable_auto_commit=False).commit({partition: 1})
    member = group.member(enable_auto_commit=False, retry_backoff_ms=30_000, retry_backoff_max_ms=30_000)
    member.assign([partition])
    member.commit({partition: 2}, timeout=10)
    assert member.committed([partition])[partition].offset == 2


def test_callbacks_of_commits_come_in_order_with_what_was_committed(group: Group) -> None:
    member = group.member(enable_auto_commit=False)
    partition = TopicPartition(group.topic, 0)
    member.assign([partition])
    heard: list[Any] = []
    for offset in range(1, 6):
        member.commit_async({partition: offset}, lambda offsets, error: heard.append((offsets, error)))
    poll_until([member], lambda: len(heard) == 5, "five callbacks")
    assert [(offsets[partition].offset, error) for offsets, error in heard] == [(n, None) for n in range(1, 6)]
    assert member.committed(partition)[partition].offset == 5


def test_what_a_callback_raises_reaches_the_poll(group: Group) -> None:
    member = group.member()
    member.assign([(group.topic, 0)])

    def fails(_: Any, __: Any) -> None:
        raise ZeroDivisionError

    member.commit_async({(group.topic, 0): 1}, fails)
    with pytest.raises(ZeroDivisionError):
        poll_until([member], lambda: False, "the callback")
    group.clients.fill(group.topic, [10], partition=0)
    eventually(lambda: b"10" in values(member.poll_batch(timeout=0.05)), "a record after the exception")


def test_a_callback_hears_why_a_commit_failed(group: Group) -> None:
    member = group.member(enable_auto_commit=False)
    partition = TopicPartition(group.topic, 0)
    member.assign([partition])
    heard: list[Any] = []
    member.commit_async({partition: OffsetAndMetadata(1, "x" * 10_000)}, lambda *outcome: heard.append(outcome))
    poll_until([member], lambda: bool(heard), "the callback")
    ((offsets, error),) = heard
    assert offsets[partition].offset == 1
    assert isinstance(error, OffsetMetadataTooLargeError)
    assert group.topic in str(error)


def test_metadata_that_is_too_large_is_refused_by_name(group: Group) -> None:
    member = group.member()
    with pytest.raises(OffsetMetadataTooLargeError, match=group.topic):
        member.commit({(group.topic, 0): OffsetAndMetadata(1, "x" * 10_000)})


def test_committing_for_a_topic_that_is_not_there_is_refused_by_name(group: Group) -> None:
    member = group.member()
    with Stopwatch() as watch, pytest.raises(UnknownTopicOrPartitionError, match="no-such-topic"):
        member.commit({("no-such-topic", 0): 1})
    assert watch.seconds < 10


def test_committing_for_a_topic_that_is_not_there_ends_in_time_and_says_why(group: Group) -> None:
    member = group.member()
    with pytest.raises(KafkaTimeoutError, match=r"no-such-topic.*limit \d+ ms"):
        member.commit({("no-such-topic", 0): 1}, timeout=0.05)


@pytest.mark.parametrize("wrong", [{"no partition": 1}, {("t", "0"): 1}, 5, {("t", 0): "1"}, {("t", 0): None}])
def test_offsets_of_the_wrong_shape_are_refused(group: Group, wrong: Any) -> None:
    member = group.member()
    with pytest.raises((TypeError, InvalidArgumentError)):
        member.commit(wrong)
    with pytest.raises((TypeError, InvalidArgumentError)):
        member.commit_async(wrong)


def test_a_record_that_failed_is_read_again_by_the_next_member(group: Group) -> None:
    """Leaving the block with an exception leaves out what was handed out last."""
    seen: list[Any] = []
    with pytest.raises(ZeroDivisionError), group.reader() as member:
        for record in member:
            if len(seen) == 25:
                raise ZeroDivisionError
            seen.append((record.partition, record.offset))
    rest = [(record.partition, record.offset) for record in read(group.reader(), 15)]
    assert sorted(seen + rest) == [(partition, offset) for partition in range(4) for offset in range(10)]


def test_automatic_commits_take_what_an_iteration_has_finished(group: Group) -> None:
    member = group.member(auto_commit_interval_ms=20)
    partition = TopicPartition(group.topic, 0)
    member.assign([partition])
    for record in member:
        if record.offset == 3:
            break
        if record.offset > 0:
            # What came before this record is finished, this one is not.
            eventually(lambda: partition in member.committed(partition), "an automatic commit")
            expected = record.offset
            eventually(
                lambda expected=expected: member.committed(partition)[partition].offset == expected,
                f"the commit of offset {expected}",
            )


def test_one_that_was_silent_for_too_long_commits_nothing(group: Group) -> None:
    member = group.member(enable_auto_commit=False, max_poll_interval_ms=4000)
    member.subscribe([group.topic])
    records = read(member, 10)
    # Longer than the limit without a poll: another member may have the partitions by now.
    eventually(lambda: native(member).health().state == "expelled", "the end of the membership")
    with pytest.raises(CommitFailedError, match=r"max_poll_interval_ms|is not a member"):
        member.commit()
    with pytest.raises(CommitFailedError):
        member.commit(records[-1])
    with pytest.raises(
        MaxPollIntervalExceededError, match=r"no records for \d+ ms, more than max_poll_interval_ms=4000"
    ):
        poll_until([member], lambda: False, "the news")
    # The next poll joins again, and reading starts from the last commit.
    assert sorted(values(read(member, 40))) == sorted(numbers(10) * 4)


def test_a_commit_of_an_earlier_generation_is_fenced(group: Group) -> None:
    """A transaction commits as the member of a generation that is over (KIP-447), for a partition that went to another.

    With the consumer protocol what a member has kept since then it may still commit (KIP-1251).
    """
    first = group.reader(enable_auto_commit=False)
    assigned(first, 4)
    old = first.group_metadata()
    second = group.reader(enable_auto_commit=False)
    both = [first, second]
    poll_until(both, lambda: [len(each.assignment()) for each in both] == [2, 2], "a second member")
    now = first.group_metadata()
    assert now.generation_id > old.generation_id
    assert now.member_id == old.member_id
    kept, gone = next(iter(first.assignment())), next(iter(second.assignment()))
    with group.clients.api.Producer(
        bootstrap_servers=group.clients.broker.bootstrap_servers, transactional_id=f"tx-{group.topic}"
    ) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        with pytest.raises((IllegalGenerationError, StaleMemberEpochError, CommitFailedError)):
            producer.send_offsets_to_transaction({gone: 3}, old)
        producer.abort_transaction()
        producer.begin_transaction()
        producer.send_offsets_to_transaction({kept: 4}, now)
        producer.commit_transaction()

    def committed() -> bool:
        # The answer to the end of a transaction comes before its markers are written; a reader of what is uncommitted
        # does not wait for those.
        found = first.committed([kept, gone])
        assert gone not in found
        return kept in found and found[kept].offset == 4

    eventually(committed, "the commit is seen")


def test_commits_work_while_the_group_rebalances(group: Group) -> None:
    first = group.reader(enable_auto_commit=False)
    records = read(first, 12)
    second = group.member(enable_auto_commit=False)
    second.subscribe([group.topic])
    # The coordinator is told of the new member at some time of this; each commit ends well.
    for record in records:
        first.commit(record)
        second.poll_batch(timeout=0.01)
        first.poll_batch(max_records=1, timeout=0.01)
        if not {TopicPartition(record.topic, record.partition) for record in records} <= first.assignment():
            break


@pytest.mark.parametrize("policy", ["earliest", "latest", "by_duration:PT1H", "none"])
def test_where_a_group_starts_that_has_committed_nothing(group: Group, policy: str) -> None:
    member = group.member(auto_offset_reset=policy)
    member.subscribe([group.topic])
    if policy == "none":
        with pytest.raises(NoOffsetError, match=r"auto_offset_reset"):
            read(member, 1)
        return
    if policy == "latest":
        poll_until([member], lambda: len(member.assignment()) == 4, "all partitions")
        for partition in range(4):
            assert member.position((group.topic, partition)) == 10
        group.clients.fill(group.topic, [10], partition=2)
        assert values(read(member, 1)) == [b"10"]
        return
    assert len(read(member, 40)) == 40


def test_a_committed_offset_beyond_the_log_falls_back_to_the_policy(group: Group) -> None:
    partition = TopicPartition(group.topic, 0)
    writer = group.member(enable_auto_commit=False)
    writer.assign([partition])
    writer.commit({partition: 1000})
    writer.close()
    reader = group.reader()
    assert sorted(values(read(reader, 40))) == sorted(numbers(10) * 4)


def test_without_a_policy_a_committed_offset_beyond_the_log_is_an_error(group: Group) -> None:
    partition = TopicPartition(group.topic, 0)
    member = group.member(auto_offset_reset="none", enable_auto_commit=False)
    member.assign([partition])
    member.commit({partition: 1000})
    member.close()
    strict = group.member(auto_offset_reset="none")
    strict.assign([partition])
    with pytest.raises(OffsetOutOfRangeError, match=r"1000"):
        read(strict, 1)


def test_committed_answers_within_the_time_it_is_given(clients: Clients) -> None:
    member = clients.consumer(group_id="nobody", bootstrap_servers="127.0.0.1:9")
    with pytest.raises(BootstrapError, match=r"127\.0\.0\.1:9"):
        member.committed([("t", 0)], timeout=0.5)


def test_read_committed_members_skip_what_was_aborted_and_commit_behind_it(group: Group) -> None:
    topic = group.clients.broker.new_topic(1)
    partition = TopicPartition(topic, 0)
    with group.clients.api.Producer(
        bootstrap_servers=group.clients.broker.bootstrap_servers, transactional_id=f"tx-{topic}"
    ) as producer:
        producer.init_transactions()
        for number, aborted in enumerate([False, True, False]):
            producer.begin_transaction()
            for _ in range(3):
                producer.send(topic, str(number).encode())
            producer.flush(SECONDS)
            producer.abort_transaction() if aborted else producer.commit_transaction()
    member = group.member(isolation_level="read_committed")
    member.subscribe([topic])
    assert values(read(member, 6)) == [b"0"] * 3 + [b"2"] * 3
    # Three transactions of three records and their markers; the position is behind what is skipped.
    eventually(lambda: member.poll_batch(timeout=0.05) is not None and member.position(partition) == 12, "the end")
    assert member.commit()[partition].offset == 12
    assert member.lag(partition) == 0


@pytest.mark.parametrize("way", ["by hand", "subscribed"])
def test_commits_made_just_before_close_are_made_and_their_callbacks_run(group: Group, way: str) -> None:
    partition = TopicPartition(group.topic, 0)
    heard: list[Any] = []
    for offset in (1, 2, 3):
        member = group.member(enable_auto_commit=False)
        if way == "by hand":
            member.assign([partition])
        else:
            member.subscribe([group.topic])
            assigned(member, 4)
        member.commit_async({partition: offset}, lambda offsets, error: heard.append((offsets, error)))
        member.close()
        assert [(offsets[partition].offset, error) for offsets, error in heard[-1:]] == [(offset, None)]
        assert group.member().committed(partition)[partition].offset == offset
    assert len(heard) == 3
