"""A broker that keeps what it has in a directory."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import confluent_kafka.admin
import pytest
from kafkars import Admin, Consumer, Producer, TopicPartition
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.interop.peers import PEERS, Peer
from tests.interop.samples import samples
from tests.support.clients import numbers, read, values

pytestmark = pytest.mark.timeout(60)

SECONDS = 20.0
P0 = TopicPartition("t", 0)


def send(broker: EmbeddedBroker, first: int, past: int, topic: str = "t", **settings: Any) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers, **settings) as producer:
        sent = [producer.send(topic, b"%d" % number, partition=0) for number in range(first, past)]
        assert producer.flush(SECONDS) == 0
        for each in sent:
            each.result(0)


def received(broker: EmbeddedBroker, count: int, **settings: Any) -> list[Any]:
    given = {"bootstrap_servers": broker.bootstrap_servers, "auto_offset_reset": "earliest", **settings}
    with Consumer(**given) as consumer:
        consumer.assign([P0])
        records = read(consumer, count)
        assert not consumer.poll_batch(timeout=0.1)
    return records


@pytest.mark.parametrize("peer", PEERS, ids=str)
@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records_of_other_clients_outlast_the_broker(peer: Peer, codec: str, tmp_path: Path) -> None:
    sent = [sample for sample in samples(50) if not peer.refuses(sample)]
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        peer.produce(broker.bootstrap_servers, "t", codec, sent)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert peer.consume(broker.bootstrap_servers, "t", len(sent)) == sent


def test_offsets_go_on_where_they_were(tmp_path: Path) -> None:
    for start in range(0, 30, 10):
        with EmbeddedBroker(data_dir=tmp_path, topics={"t": 2}) as broker:
            send(broker, start, start + 10)
            assert [record.offset for record in received(broker, start + 10)] == list(range(start + 10))
            assert broker.topics() == ["t"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
def test_nobody_else_may_read_the_directory(tmp_path: Path) -> None:
    """Salted passwords of users and the records themselves are in it."""
    folder = tmp_path / "made" / "by the broker"
    with EmbeddedBroker(data_dir=folder, topics={"t": 1}) as broker:
        send(broker, 0, 1)
        received(broker, 1)
    with EmbeddedBroker(data_dir=folder) as broker:
        send(broker, 1, 2)
    made = [folder.parent, folder, *folder.rglob("*")]
    assert any(path.suffix == ".json" for path in made)
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in made}
    assert all(mode == (0o700 if (tmp_path / path).is_dir() else 0o600) for path, mode in modes.items()), modes


def test_the_cluster_and_its_topics_stay_themselves(tmp_path: Path) -> None:
    def look(broker: EmbeddedBroker) -> object:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            topic = admin.describe_topics(["t"])["t"]
            return broker.cluster_id, topic.topic_id, len(topic.partitions)

    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 3}) as broker:
        before = look(broker)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert look(broker) == before


def test_groups_go_on_where_they_have_committed(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"group_id": "g", "auto_offset_reset": "earliest"}
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        send(broker, 0, 10)
        with Consumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
            consumer.subscribe(["t"])
            records = read(consumer, 10)
            consumer.commit(records[3])
            consumer.unsubscribe()
    with (
        EmbeddedBroker(data_dir=tmp_path) as broker,
        Consumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer,
    ):
        (committed,) = consumer.committed([P0]).values()
        consumer.subscribe(["t"])
        send(broker, 10, 11)
        assert read(consumer, 1)[0].offset == committed.offset


def test_transactions_end_as_they_would_have(tmp_path: Path) -> None:
    def begin(broker: EmbeddedBroker, name: str, value: bytes) -> Producer[Any, Any]:
        producer: Producer[Any, Any] = Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=name)
        producer.init_transactions()
        producer.begin_transaction()
        producer.send("t", value).result(SECONDS)
        return producer

    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        begin(broker, "a", b"committed").commit_transaction()
        begin(broker, "b", b"aborted").abort_transaction()
        left_open = begin(broker, "c", b"left open")
    left_open.close(0)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        # The same name again ends what was left open.
        begin(broker, "c", b"later").commit_transaction()
        records = received(broker, 2, isolation_level="read_committed")
        assert values(records) == [b"committed", b"later"]
        assert values(received(broker, 4)) == [b"committed", b"aborted", b"left open", b"later"]


def test_settings_partitions_and_deletions_are_kept(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1, "gone": 1}) as broker:
        send(broker, 0, 10)
        send(broker, 0, 10, topic="gone")
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.alter_configs({("topic", "t"): {"max.message.bytes": "12345"}})
            admin.create_partitions({"t": 4})
            admin.delete_topics(["gone"])
        others = confluent_kafka.admin.AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        for future in others.delete_records([confluent_kafka.TopicPartition("t", 0, 7)]).values():
            future.result(SECONDS)
    assert len(list((tmp_path / "logs").iterdir())) == 1
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert broker.topics() == ["t"]
        assert broker.offsets("t", 0) == (7, 10)
        assert broker.offsets("t", 3) == (0, 0)
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            ((_, found),) = admin.describe_configs([("topic", "t")]).items()
            assert found["max.message.bytes"].value == "12345"
        assert values(received(broker, 3)) == numbers(7, 10)


def test_what_compaction_left_is_what_is_kept(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        broker.create_topic("t", 1, configs={"cleanup.policy": "compact"})
        with Producer(bootstrap_servers=broker.bootstrap_servers, batch_size=1) as producer:
            for number in range(20):
                producer.send("t", b"%d" % number, b"key-%d" % (number % 2)).result(SECONDS)
        assert broker.compact() == 18
        kept = [(record.offset, record.value) for record in received(broker, 2)]
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert [(record.offset, record.value) for record in received(broker, 2)] == kept
        assert broker.offsets("t", 0)[1] == 20


def test_nothing_that_was_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kafkars", "broker", "--port", "0", "--data-dir", str(tmp_path), "--topic", "t"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        servers = process.stdout.readline().split()[-1]
        with Producer(bootstrap_servers=servers, delivery_timeout_ms=1_000, request_timeout_ms=500) as producer:
            sent = [producer.send("t", b"%d" % number, partition=0) for number in range(5_000)]
            sent[1_000].result(SECONDS)
            os.kill(process.pid, signal.SIGKILL)
            process.wait(SECONDS)
            producer.flush(SECONDS)
    acknowledged = [each.result(0).offset for each in sent if each.exception(0) is None]
    assert len(acknowledged) > 1_000
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        _, end = broker.offsets("t", 0)
        assert end > max(acknowledged)
        records = received(broker, end)
    found = {record.offset: record.value for record in records}
    assert [found[offset] for offset in acknowledged] == numbers(len(acknowledged))


def test_a_batch_that_was_not_written_whole_is_cut_off(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        send(broker, 0, 3, batch_size=1)
    (log,) = (tmp_path / "logs").glob("*/0.log")
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 5)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        first, end = broker.offsets("t", 0)
        assert first == 0
        kept = values(received(broker, 2))
        assert kept == numbers(2)
        send(broker, 3, 4)
        assert received(broker, 3)[-1].offset >= end


@pytest.mark.parametrize("name", ["state.json", "0.log"])
def test_damage_is_named_and_nothing_is_touched(name: str, tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        send(broker, 0, 100)
    (path,) = tmp_path.rglob(name)
    content = bytearray(path.read_bytes())
    content[70] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(OSError, match=rf"cannot use data directory .*{name}: "):
        EmbeddedBroker(data_dir=tmp_path)
    assert path.read_bytes() == content


def test_a_directory_belongs_to_one_broker_at_a_time(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path), pytest.raises(OSError, match="another broker is using it"):
        EmbeddedBroker(data_dir=tmp_path)
    EmbeddedBroker(data_dir=tmp_path).stop()


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    EmbeddedBroker(data_dir=tmp_path).stop()
    state = tmp_path / "state.json"
    state.write_text(json.dumps({**json.loads(state.read_text()), "format": 2}))
    with pytest.raises(OSError, match="its format is 2, this broker reads 1"):
        EmbeddedBroker(data_dir=tmp_path)


def test_a_cluster_of_several_nodes_is_started_with_as_many(tmp_path: Path) -> None:
    with EmbeddedCluster(data_dir=tmp_path, topics={"t": 3}) as cluster:
        send(cluster, 0, 5)
    with pytest.raises(OSError, match=r"replica on node .*start it with as many as it had"):
        EmbeddedBroker(data_dir=tmp_path)
    with EmbeddedCluster(data_dir=tmp_path) as cluster:
        assert values(received(cluster, 5)) == numbers(5)


def test_a_directory_that_cannot_be_written_refuses_records(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        send(broker, 0, 1)
        (log,) = (tmp_path / "logs").glob("*/0.log")
        log.unlink()
        log.mkdir()
        with Producer(
            bootstrap_servers=broker.bootstrap_servers, delivery_timeout_ms=500, request_timeout_ms=300
        ) as producer:
            assert producer.send("t", b"x").exception(SECONDS) is not None
        assert broker.offsets("t", 0) == (0, 1)
        log.rmdir()


def test_what_administrators_have_set_is_kept_too(tmp_path: Path) -> None:
    scram = confluent_kafka.admin.ScramCredentialInfo(confluent_kafka.admin.ScramMechanism.SCRAM_SHA_256, 4096)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        alice = confluent_kafka.admin.UserScramCredentialUpsertion("alice", scram, b"password")
        admin.alter_user_scram_credentials([alice])["alice"].result(SECONDS)
        broker.set_connection_rate(1)
    with EmbeddedBroker(data_dir=tmp_path, clock="manual") as broker:
        # The rate holds from the start on; the second lets a client come.
        port = int(broker.bootstrap_servers.rsplit(":", 1)[1])
        with contextlib.ExitStack() as opened:
            sockets = [opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(11)]
            sockets[-1].settimeout(SECONDS)
            assert not sockets[-1].recv(1)
        broker.set_connection_rate(None)
        admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        described: Any = admin.describe_user_scram_credentials(["alice"])
        found = described["alice"].result(SECONDS)
        assert [info.iterations for info in found.scram_credential_infos] == [4096]


def commit(broker: EmbeddedBroker, offsets: range) -> None:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g", enable_auto_commit=False) as consumer:
        consumer.assign([P0])
        for offset in offsets:
            consumer.commit({P0: offset})


def committed(broker: EmbeddedBroker) -> int | None:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g", enable_auto_commit=False) as consumer:
        found = consumer.committed([P0])[P0]
    return None if found is None else found.offset


def test_a_commit_is_a_line_however_much_else_there_is(tmp_path: Path) -> None:
    state, journal = tmp_path / "state.json", tmp_path / "commits.jsonl"
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        commit(broker, range(1, 3))
        before = state.read_bytes()
        commit(broker, range(3, 5))
        assert state.read_bytes() == before
        # As after `kill -9`: what is stopped in good order puts the lines into the other file.
        lines = journal.read_bytes()
    state.write_bytes(before)
    # The last one was not written whole, and nobody had an answer.
    journal.write_bytes(lines + b'{"commit":{"group":"g"')
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert committed(broker) == 4
        assert not journal.exists()
    # Lines beside another state are out of date.
    journal.write_bytes(lines)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        commit(broker, range(9, 10))
        kept = journal.read_bytes()
    assert kept.count(b"\n") == 2, "begun anew"
    journal.write_bytes(lines)
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        assert committed(broker) == 9
    state.write_bytes(before)
    journal.write_bytes(lines.replace(b"commit", b"c\xffmmit"))
    with pytest.raises(OSError, match=r"commits\.jsonl.*damaged"):
        EmbeddedBroker(data_dir=tmp_path)


def test_lines_of_commits_do_not_grow_without_end(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path, topics={"t": 1}) as broker:
        commit(broker, range(1500))
        lengths = [(tmp_path / name).stat().st_size for name in ("state.json", "commits.jsonl")]
        assert max(lengths) < 100_000
        assert committed(broker) == 1499
