"""The command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from benches.compare import faces, tls
from benches.compare.jobs import JOBS
from benches.compare.task import Settings

OUT = Path(__file__).parent / "out"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass(frozen=True)
class Options:
    jobs: list[str]
    broker: str
    kafka_version: str
    sizes: list[int]
    codecs: list[str]
    rounds: int
    records: int
    partitions: int
    rate: int
    latency_records: int
    out: Path
    # Too few records for a judgement.
    smoke: bool = False
    settings: Settings = field(default_factory=Settings)


def parse(arguments: list[str]) -> Options:
    names = ",".join(job.name for job in JOBS)
    parser = argparse.ArgumentParser(
        prog="python -m benches.compare", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--jobs", default=names, help="separated by commas")
    parser.add_argument(
        "--faces",
        action="store_const",
        dest="jobs",
        const=",".join(job.name for job in faces.JOBS),
        help="kafkars.compat beside the libraries that it stands in for, instead of other jobs",
    )
    parser.add_argument(
        "--tls",
        action="store_const",
        dest="jobs",
        const=",".join(job.name for job in tls.JOBS),
        help="producing, consuming and connecting over TLS, instead of other jobs",
    )
    parser.add_argument("--broker", choices=["real", "embedded"], default="real")
    parser.add_argument("--kafka-version", default="4.3.1")
    parser.add_argument("--sizes", default="100", help="bytes of a value, separated by commas")
    parser.add_argument("--codecs", default="none", help=f"of {', '.join(CODECS)}, or 'all'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--records", type=int, default=1_000_000, help="of a fast client in one round; slow ones do a share"
    )
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("--rate", type=int, default=500, help="records a second in the latency job")
    parser.add_argument("--latency-records", type=int, default=2_500, help="the first fifth is warm-up")
    parser.add_argument("--linger-ms", type=int, default=Settings.linger_ms)
    parser.add_argument("--acks", choices=["0", "1", "all"], default=Settings.acks)
    parser.add_argument("--batch-size", type=int, default=Settings.batch_size)
    parser.add_argument("--take", type=int, default=Settings.take, help="records a batch call asks for")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--smoke", action="store_true", help="few records, one round: shows that it works")
    chosen = parser.parse_args(arguments)
    options = Options(
        jobs=chosen.jobs.split(","),
        broker=chosen.broker,
        kafka_version=chosen.kafka_version,
        sizes=[int(size) for size in chosen.sizes.split(",")],
        codecs=list(CODECS) if chosen.codecs == "all" else chosen.codecs.split(","),
        rounds=1 if chosen.smoke else chosen.rounds,
        records=5_000 if chosen.smoke else chosen.records,
        partitions=chosen.partitions,
        rate=chosen.rate,
        latency_records=250 if chosen.smoke else chosen.latency_records,
        out=chosen.out,
        smoke=chosen.smoke,
        settings=Settings(acks=chosen.acks, linger_ms=chosen.linger_ms, batch_size=chosen.batch_size, take=chosen.take),
    )
    unknown = [codec for codec in options.codecs if codec not in CODECS]
    if unknown:
        parser.error(f"unknown codec {unknown[0]}")
    return options
