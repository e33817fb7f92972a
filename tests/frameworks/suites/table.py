"""The suites there are. Frameworks whose source distributions bring no tests cannot be here: FastStream, Quix Streams
and Bytewax run on the faces as applications (`tests/frameworks/applications`). Faust's own tests want a pytest before
8."""

from __future__ import annotations

from tests.frameworks.suites.suite import Suite

CONFLUENT = "confluent_kafka"
AIOKAFKA = "aiokafka"

SUITES = (
    # Sentry's stream processing.
    Suite(
        "sentry-arroyo",
        "2.48.0",
        CONFLUENT,
        # The others know no Kafka.
        (
            "tests/backends",
            "tests/test_dlq.py",
            "tests/test_kip848_e2e.py",
            "tests/processing/test_processor.py",
            "tests/processing/strategies/test_commit.py",
            "tests/processing/strategies/test_produce.py",
        ),
        replaced={"localhost:9092": "{address}"},
        environment={"DEFAULT_BROKERS": "{address}"},
        # They measure, with a plugin.
        arguments=("--deselect", "tests/processing/test_processor.py::test_commit_policy_bench"),
        stand_ins="sentry_arroyo",
        short="commit_callback or confluent_producer or offset_out_of_range",
    ),
    # Celery's transport.
    Suite(
        "kombu",
        "5.7.0",
        CONFLUENT,
        ("t/integration/test_kafka.py", "t/unit/transport/test_confluentkafka.py"),
        replaced={"port='9092'": "port='{port}'", "hostname='localhost'": "hostname='127.0.0.1'"},
        arguments=("-o", "python_classes=test_* Test*"),
        short="QoS",
    ),
    Suite(
        "opentelemetry-instrumentation-confluent-kafka",
        "0.66b1",
        CONFLUENT,
        ("tests",),
        short="test",
    ),
    Suite(
        "streamz",
        "0.6.6",
        CONFLUENT,
        ("streamz/tests/test_kafka.py",),
        # Its tests start a broker by docker unless there is one.
        replaced={"localhost:9092": "{address}", "if LAUNCH_KAFKA:": "if True:", "launch_kafka()\n": "pass\n"},
        environment={"STREAMZ_LAUNCH_KAFKA": "true"},
    ),
    Suite(
        "opentelemetry-instrumentation-aiokafka",
        "0.66b1",
        AIOKAFKA,
        ("tests",),
        short="test",
    ),
)
