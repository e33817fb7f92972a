"""The floor for latency: two blocking sockets, frames encoded beforehand, nothing that a client has to do besides.

One thread sends a Produce request when a record is due and waits for its answer; another holds a long poll open
and reads the record's number at a place that is known, because every record has the same shape.
"""

from __future__ import annotations

import platform
import socket
import struct
import threading
from typing import TYPE_CHECKING

import crc32c

from benches.compare.latency import Pace, received, stamp
from benches.compare.task import Outcome
from tests.kafka import wire

if TYPE_CHECKING:
    from benches.compare.task import Task, Window

PRODUCE, PRODUCE_VERSION = 0, 3
FETCH, FETCH_VERSION = 1, 4
BATCH_HEADER = 61
ALL_REPLICAS = -1


def version() -> str:
    return f"bare sockets (Python {platform.python_version()}, Produce v{PRODUCE_VERSION}, Fetch v{FETCH_VERSION})"


def latency(task: Task, window: Window) -> Outcome:
    frames = [produce_frame(task, index) for index in range(task.records)]
    batch_size = len(batch(stamp(0, task.size)))
    arrivals: list[int] = []
    with connect(task) as sender, connect(task) as receiver:
        pace = Pace(task)
        reader = threading.Thread(target=fetch_all, args=(task, receiver, batch_size, pace, arrivals))
        reader.start()
        with window:
            for index in pace.in_time():
                sender.sendall(frames[index])
                check_produced(answer(sender))
            reader.join()
            window.end()
    return Outcome(len(arrivals), latencies=arrivals, effective={"acks": "all", "fetch.wait.max.ms": wait_ms(task)})


def fetch_all(task: Task, connection: socket.socket, batch_size: int, pace: Pace, arrivals: list[int]) -> None:
    frame = bytearray(fetch_frame(task))
    # fetch_offset is followed by partition_max_bytes, at the end of the frame.
    offset_at = len(frame) - 12
    value_at = batch_size - 1 - task.size
    while len(arrivals) < task.records:
        struct.pack_into(">q", frame, offset_at, len(arrivals))
        connection.sendall(frame)
        records = records_of(answer(connection), task.topic)
        for start in range(0, len(records) - batch_size + 1, batch_size):
            received(records[start + value_at : start + value_at + 8], pace, arrivals)


def connect(task: Task) -> socket.socket:
    host, _, port = task.bootstrap.split(",")[0].rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def answer(connection: socket.socket) -> bytes:
    (length,) = struct.unpack(">i", wire.receive(connection, 4))
    return wire.receive(connection, length)[4:]


def produce_frame(task: Task, index: int) -> bytes:
    records = batch(stamp(index, task.size))
    topic = struct.pack(">i", 1) + wire.string(task.topic) + struct.pack(">iii", 1, 0, len(records)) + records
    no_transaction = struct.pack(">h", -1)
    body = no_transaction + struct.pack(">hi", ALL_REPLICAS, 30_000) + topic
    return wire.request(PRODUCE, PRODUCE_VERSION, index, body)


def check_produced(body: bytes) -> None:
    response = wire.Answer(body)
    response.int32()
    response.string()
    response.int32()
    response.int32()
    code = response.int16()
    if code != 0:
        raise RuntimeError(f"the broker answered error {code} to Produce")


def wait_ms(task: Task) -> int:
    return task.settings.fetch_wait_ms


def fetch_frame(task: Task) -> bytes:
    settings = task.settings
    body = struct.pack(">iiiib", -1, wait_ms(task), settings.fetch_min_bytes, settings.fetch_max_bytes, 0)
    body += struct.pack(">i", 1) + wire.string(task.topic)
    body += struct.pack(">iiqi", 1, 0, 0, settings.partition_fetch_bytes)
    return wire.request(FETCH, FETCH_VERSION, 1, body)


def records_of(body: bytes, topic: str) -> bytes:
    # throttle time, one topic, its name, one partition: number, error, high watermark, last stable offset
    at = 4 + 4 + 2 + len(topic) + 4
    _, code = struct.unpack_from(">ih", body, at)
    if code != 0:
        raise RuntimeError(f"the broker answered error {code} to Fetch")
    at += 4 + 2 + 8 + 8
    (aborted,) = struct.unpack_from(">i", body, at)
    at += 4 + 16 * max(0, aborted)
    (length,) = struct.unpack_from(">i", body, at)
    return body[at + 4 : at + 4 + length]


def batch(value: bytes) -> bytes:
    """A batch of format 2 with one record without key and headers."""
    record = bytes((0, 0, 0, 1)) + varint(len(value)) + value + b"\0"
    records = varint(len(record)) + record
    # attributes, last offset delta, both timestamps, producer id, epoch, sequence, count
    covered = struct.pack(">hiqqqhii", 0, 0, 0, 0, -1, -1, -1, 1) + records
    head = struct.pack(">qiibI", 0, BATCH_HEADER - 12 + len(records), -1, 2, crc32c.crc32c(covered))
    return head + covered


def varint(number: int) -> bytes:
    left = number << 1
    encoded = bytearray()
    while left > 0x7F:
        encoded.append(left & 0x7F | 0x80)
        left >>= 7
    encoded.append(left)
    return bytes(encoded)


JOBS = {"latency": latency}
