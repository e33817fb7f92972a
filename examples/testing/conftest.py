"""The fixtures of kafkars: `kafka_broker`, `kafka_topic` and so on."""

pytest_plugins = ["kafkars.testing.pytest_plugin"]
