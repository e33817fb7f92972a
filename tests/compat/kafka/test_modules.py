"""Modules that programs import beside the clients do what those of kafka-python 2.3.3 do."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.kafka import codec, common, errors, partitioners, structs, util
from kafkars.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from kafkars.compat.kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.kafka.coordinator.protocol import ConsumerProtocolMemberMetadata_v0
from kafkars.compat.kafka.metrics import AbstractMetricsReporter, MetricName
from kafkars.compat.kafka.partitioners.default import DefaultPartitioner
from kafkars.compat.kafka.protocol.produce import ProduceRequest
from kafkars.compat.kafka.protocol.types import Array, Int8, Schema, String, UnsignedVarInt32
from kafkars.compat.kafka.vendor import six

ORIGINAL = Path(__file__).resolve().parents[3] / ".cache" / "kafka-python-2"
GROUPS = 200


class Cluster:
    """What assignors ask."""

    def __init__(self, topics: dict[str, int]) -> None:
        self.topics = topics

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self.topics[topic])) if topic in self.topics else None


def groups() -> list[tuple[dict[str, int], dict[str, list[str]]]]:
    """Topics with their partitions, and what members subscribe to, some to topics that are not there."""
    chance = random.Random(17)
    found = []
    for _ in range(GROUPS):
        topics = {f"t{number}": chance.randint(1, 7) for number in range(chance.randint(1, 4))}
        names = [*topics, "nowhere"]
        members = {
            f"m{number}": sorted(chance.sample(names, chance.randint(1, len(names))))
            for number in range(chance.randint(1, 5))
        }
        found.append((topics, members))
    return found


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from kafka import codec
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
class Said:
    group_instance_id = None
    def __init__(self, topics): self.topics = topics
class Cluster:
    def __init__(self, topics): self.topics = topics
    def partitions_for_topic(self, topic): return set(range(self.topics[topic])) if topic in self.topics else None
given = json.load(sys.stdin)
told = []
for topics, members in given["groups"]:
    said = {name: Said(wanted) for name, wanted in members.items()}
    for kind in (RangePartitionAssignor, RoundRobinPartitionAssignor):
        try:
            found = kind.assign(Cluster(topics), said)
        except KeyError:
            # Its round robin fails where a member does not subscribe to what the others do.
            told.append(None)
            continue
        told.append({name: sorted(each.partitions()) for name, each in found.items()})
data = bytes.fromhex(given["data"])
packed = {}
for name in ("gzip", "snappy", "lz4", "lz4_old", "zstd"):
    encode = {"lz4_old": "lz4_encode_old_kafka"}.get(name, name + "_encode")
    decode = {"lz4_old": "lz4_decode_old_kafka", "lz4": "lz4_decode"}.get(name, name + "_decode")
    try:
        ours = getattr(codec, decode)(bytes.fromhex(given["packed"][name])) == data
        packed[name] = [getattr(codec, encode)(data).hex(), ours]
    except (NotImplementedError, AttributeError, TypeError, AssertionError):
        packed[name] = None
print(json.dumps([told, packed]))
"""
DATA = b"kafka and kafka again " * 5000
ENCODERS = {
    "gzip": (codec.gzip_encode, codec.gzip_decode),
    "lz4": (codec.lz4_encode, codec.lz4_decode),
    "lz4_old": (codec.lz4_encode_old_kafka, codec.lz4_decode_old_kafka),
    "snappy": (codec.snappy_encode, codec.snappy_decode),
    "zstd": (codec.zstd_encode, codec.zstd_decode),
}


@pytest.fixture(scope="module")
def original() -> Any:
    """What the original makes of the groups and of the data."""
    given = {
        "groups": groups(),
        "data": DATA.hex(),
        "packed": {name: encode(DATA).hex() for name, (encode, _) in ENCODERS.items()},
    }
    finished = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ORIGINAL)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_range_and_round_robin_give_what_the_original_gives(original: Any) -> None:
    told = []
    for topics, members in groups():
        said = {name: ConsumerProtocolMemberMetadata_v0(0, wanted, b"") for name, wanted in members.items()}
        for kind in (RangePartitionAssignor, RoundRobinPartitionAssignor):
            found = kind.assign(Cluster(topics), said)
            told.append({name: [list(each) for each in sorted(of.partitions())] for name, of in found.items()})
    compared = [(ours, theirs) for ours, theirs in zip(told, original[0], strict=True) if theirs is not None]
    assert len(compared) > GROUPS
    assert [ours for ours, _ in compared] == [theirs for _, theirs in compared]


@pytest.mark.parametrize("name", ENCODERS)
def test_each_reads_what_the_other_has_compressed(name: str, original: Any) -> None:
    encode, decode = ENCODERS[name]
    assert decode(encode(DATA)) == DATA
    theirs = original[1][name]
    # lz4 and the like of the original need packages of their own, which need not be here.
    if theirs is not None:
        assert decode(bytes.fromhex(theirs[0])) == DATA
        assert theirs[1]


def test_damaged_snappy_is_an_error() -> None:
    packed = codec.snappy_encode(DATA)
    for cut in (len(packed) - 1, 18, 25):
        with pytest.raises(ValueError, match="cut off"):
            codec.snappy_decode(packed[:cut])
    assert codec.snappy_decode(codec.snappy_encode(DATA, xerial_compatible=False)) == DATA
    assert codec.xxhash32(b"") == 0x02CC5D05


def test_old_spellings_are_the_same_objects() -> None:
    assert common.KafkaError is errors.KafkaError
    assert common.TopicPartition is structs.TopicPartition
    assert partitioners.DefaultPartitioner is DefaultPartitioner
    assert list(six.moves.range(2)) == [0, 1]
    assert list(six.iteritems({"a": 1})) == [("a", 1)]


def test_types_of_the_wire_go_both_ways() -> None:
    schema = Schema(("names", Array(String())), ("pairs", Array(("a", Int8), ("b", String()))))
    value = (["x", None], [(1, "y")])
    assert schema.decode(schema.encode(value)) == value
    assert UnsignedVarInt32.encode(300) == b"\xac\x02"
    with pytest.raises(ValueError, match="is no Int8"):
        Int8.encode(200)
    assert [made.API_VERSION for made in ProduceRequest] == list(range(9))
    assert ProduceRequest[3].SCHEMA.names[0] == "transactional_id"


def test_a_timer_tells_what_is_left() -> None:
    assert util.Timer(None).timeout_ms is None
    over = util.Timer(0, "too late")
    assert (over.expired, over.timeout_ms) == (True, 0)
    with pytest.raises(errors.KafkaTimeoutError, match="too late"):
        over.maybe_raise()
    left = util.Timer(60_000).timeout_ms
    assert left is not None
    assert 50_000 < left <= 60_000


def test_names_of_figures_are_values() -> None:
    assert MetricName("a", "g", tags={"x": "1"}) == MetricName("a", "g", "text", {"x": "1"})
    assert MetricName("a", "g") != MetricName("b", "g")
    with pytest.raises(TypeError):
        AbstractMetricsReporter()  # type: ignore[abstract]


@pytest.mark.parametrize(("version", "besides"), [(2, {"serializer", "vendor"}), (3, {"net"})], ids=["2", "3"])
def test_the_package_has_its_modules(version: int, besides: set[str]) -> None:
    """In a process of its own, where nobody has imported them."""
    names = {"admin", "codec", "consumer", "coordinator", "errors", "future", "metrics", "partitioner", "producer"}
    names |= {"protocol", "record", "structs", "util", "version"} | besides
    names |= {"consumer.fetcher", "consumer.subscription_state", "coordinator.assignors", "producer.future"}
    program = f"""
from kafkars.compat import install
install("kafka", version={version})
import importlib, operator, kafka
early = {{name: operator.attrgetter(name)(kafka) for name in {sorted(names)}}}
assert all(early[name] is importlib.import_module("kafka." + name) for name in early)
assert issubclass(kafka.errors.NoBrokersAvailable, kafka.errors.KafkaError)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
