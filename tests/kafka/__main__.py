"""`.venv/bin/python -m tests.kafka`: a real Kafka until Ctrl+C."""

from __future__ import annotations

import argparse
import signal
import sys

from tests.kafka import BENCHMARK_JVM, TEST_JVM, JarsUnavailableError, KafkaCluster, KafkaOptions, StartFailedError


def main() -> int:
    options = parse(sys.argv[1:])
    # Ended by `kill`, the nodes are stopped in good order too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with KafkaCluster(options) as kafka:
            print(kafka.bootstrap_servers, flush=True)
            signal.pause()
    except (JarsUnavailableError, StartFailedError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def parse(arguments: list[str]) -> KafkaOptions:
    parser = argparse.ArgumentParser(prog="python -m tests.kafka", description=__doc__)
    parser.add_argument("--version", default=KafkaOptions.version, help="of Apache Kafka (default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--partitions", type=int, default=1, help="of a topic that says nothing (default: %(default)s)")
    parser.add_argument("--no-auto-create", action="store_true", help="auto.create.topics.enable=false")
    parser.add_argument(
        "--warm-jvm", action="store_true", help="JVM settings for measuring: slower start, faster later"
    )
    parser.add_argument("--property", action="append", default=[], metavar="NAME=VALUE", help="for server.properties")
    chosen = parser.parse_args(arguments)
    return KafkaOptions(
        version=chosen.version,
        nodes=chosen.nodes,
        auto_create_topics=not chosen.no_auto_create,
        default_partitions=chosen.partitions,
        jvm=BENCHMARK_JVM if chosen.warm_jvm else TEST_JVM,
        properties=dict(item.split("=", 1) for item in chosen.property),
    )


if __name__ == "__main__":
    sys.exit(main())
