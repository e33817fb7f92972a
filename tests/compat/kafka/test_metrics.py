"""Registries of metrics count as kafka-python's do, and reporters hear of clients' metrics."""

from __future__ import annotations

import gc
import importlib
import itertools
import math
import random
import weakref
from typing import Any, ClassVar

import pytest
from kafkars.compat.kafka import KafkaConsumer, KafkaProducer
from kafkars.compat.kafka.metrics import AbstractMetricsReporter, MetricName

from tests.brokers import Broker

SEEDS = range(60)
SIDES = ("kafka", "kafkars.compat.kafka_3")
STATS = ("Avg", "Count", "Max", "Min", "Rate", "Total")


class Registry:
    """A registry of one side, and random use of it at times that are given."""

    def __init__(self, package: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.metrics = importlib.import_module(f"{package}.metrics")
        base = package if package == "kafka" else "kafkars.compat.kafka"
        self.stats = importlib.import_module(f"{base}.metrics.stats")
        self.errors = importlib.import_module(f"{base}.errors")
        chance = self.chance
        config = self.metrics.MetricConfig(
            samples=chance.randint(2, 4),
            event_window=chance.choice([2, 5, 2**63]),
            time_window_ms=chance.choice([1, 10, 1000]),
            tags={"tag": 1},
        )
        self.registry = self.metrics.Metrics(config)
        self.now = 1_000_000.0
        # A name is not used again: the original takes a new sensor for the child of the parents of one that is gone.
        self.removed = 0

    def step(self) -> Any:
        """One call, and what it came to."""
        chance = self.chance
        self.now += chance.choice([0, 0.5, 3, 40, 2500])
        name = f"sensor-{chance.randrange(4) + 4 * self.removed}"
        call = chance.choice(["sensor", "add", "add", "record", "record", "record", "quota", "remove", "metric"])
        try:
            return call, getattr(self, call)(name)
        except (ValueError, self.errors.QuotaViolationError) as problem:
            return call, type(problem).__name__

    def sensor(self, name: str) -> Any:
        names = [f"sensor-{number + 4 * self.removed}" for number in range(2)]
        known = [each for each in map(self.registry.get_sensor, names) if each is not None]
        return self.registry.sensor(name, parents=self.chance.sample(known, self.chance.randint(0, len(known)))).name

    def add(self, name: str, config: Any = None) -> Any:
        stat = self.chance.choice(STATS)
        unit = self.chance.randrange(7)
        made = getattr(self.stats, stat)(*([unit] if stat == "Rate" else []))
        label = self.registry.metric_name(f"{stat}-{self.chance.randrange(3)}", "group", tags={"sensor": name})
        return self.registry.sensor(name).add(label, made, config)

    def quota(self, name: str) -> Any:
        kind = self.chance.choice(["upper_bound", "lower_bound"])
        quota = getattr(self.metrics.Quota, kind)(self.chance.randrange(-5, 50))
        return self.add(name, self.metrics.MetricConfig(quota, time_window_ms=self.registry.config.time_window_ms))

    def record(self, name: str) -> Any:
        value = self.chance.choice([0, 1, 7.5, -3, 1e9])
        return self.registry.sensor(name).record(value, self.now)

    def remove(self, name: str) -> None:
        if self.chance.random() < 0.3:
            self.removed += 1
            self.registry.remove_sensor(name)

    def metric(self, name: str) -> Any:
        label = self.registry.metric_name("direct", "group", tags={"sensor": name})
        if self.registry.remove_metric(label) is None:
            self.registry.add_metric(label, self.metrics.AnonMeasurable(lambda config, now: config.samples + now))

    def seen(self) -> Any:
        """All names and values."""
        return {
            (each.name, tuple(sorted(each.tags.items()))): _text(metric, self.now + 1)
            for each, metric in self.registry.metrics.items()
        }

    def reported(self) -> Any:
        """What a reporter is told of the metrics that there are and of one that goes, by category."""
        reporter = self.metrics.DictReporter("prefix")
        self.registry.add_reporter(reporter)
        self.metric("sensor-9")
        before = {group: sorted(names) for group, names in reporter.snapshot().items()}
        self.metric("sensor-9")
        return before, {group: sorted(names) for group, names in reporter.snapshot().items()}


def _text(metric: Any, now: float) -> str:
    return f"{metric.value(now):.9g}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_registry_counts_as_the_original(seed: int) -> None:
    original, face = (Registry(side, seed) for side in SIDES)
    for number in range(120):
        assert original.step() == face.step(), number
        assert original.seen() == face.seen(), number
    assert original.reported() == face.reported()


@pytest.mark.parametrize("seed", range(20))
def test_percentiles_are_those_of_the_original(seed: int) -> None:
    told = []
    for side in SIDES:
        registry = Registry(side, seed)
        chance = registry.chance
        percentiles = importlib.import_module(f"{registry.stats.__name__}.percentiles")
        ranks = [0, 25, 50, 99.9, 100]
        listed = [registry.stats.Percentile(registry.registry.metric_name(f"p{rank}", "group"), rank) for rank in ranks]
        config = registry.metrics.MetricConfig(event_window=1000, time_window_ms=10**9)
        stat = percentiles.Percentiles(
            4 * chance.randint(2, 60) + 4, percentiles.BucketSizing.CONSTANT, 100.0, -10.0, percentiles=listed
        )
        registry.registry.sensor("sensor", config).add_compound(stat)
        for _ in range(200):
            registry.registry.sensor("sensor").record(chance.uniform(-30, 130), registry.now)
        told.append(registry.seen())
    assert told[0] == told[1]


class Heard(AbstractMetricsReporter):
    """Keeps what it is told."""

    made: ClassVar[list[Heard]] = []

    def __init__(self) -> None:
        self.made.append(self)
        self.metrics: dict[Any, Any] = {}
        self.closed = 0

    def init(self, metrics: Any) -> None:
        self.metrics.update((metric.metric_name, metric) for metric in metrics)

    def metric_change(self, metric: Any) -> None:
        self.metrics[metric.metric_name] = metric

    def metric_removal(self, metric: Any) -> None:
        del self.metrics[metric.metric_name]

    def configure(self, configs: Any) -> None:
        """Nobody calls it, as in the original."""

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def nothing_heard() -> None:
    Heard.made.clear()


def test_reporters_hear_of_the_metrics_of_clients(broker: Broker) -> None:
    topic = broker.new_topic()
    settings: dict[str, Any] = {"bootstrap_servers": broker.bootstrap_servers, "metric_reporters": [Heard]}
    producer = KafkaProducer(**settings)
    for _ in range(5):
        producer.send(topic, b"value").get(10)
    consumer = KafkaConsumer(topic, auto_offset_reset="earliest", consumer_timeout_ms=10_000, **settings)
    assert len(list(itertools.islice(consumer, 5))) == 5
    for client, reporter in zip((producer, consumer), Heard.made, strict=True):
        raw = client.metrics(raw=True)
        assert raw is not None
        assert reporter.metrics == raw
        told = client.metrics()
        assert told is not None
        expected = by_group({name: metric.value() for name, metric in raw.items()})
        assert {group: set(values) for group, values in told.items()} == {
            group: set(values) for group, values in expected.items()
        }
    told = by_group({name: metric.value() for name, metric in Heard.made[1].metrics.items()})
    assert told["consumer-fetch-manager-metrics"]["records-consumed-total"] == 5
    assert told["consumer-fetch-manager-metrics"]["records-consumed-rate"] > 0
    assert told["kafka-metrics-count"]["count"] == sum(map(len, told.values()))
    for client in (producer, consumer):
        client.close()
        client.close()
        assert client.metrics() == {}
    assert [reporter.closed for reporter in Heard.made] == [1, 1]


def test_a_reporter_does_not_keep_a_forgotten_consumer(broker: Broker) -> None:
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, metric_reporters=[Heard])
    engine = weakref.ref(consumer._engine)
    (metric,) = (each for name, each in Heard.made[0].metrics.items() if name.name == "fetch-total")
    assert metric.value() == 0
    del consumer
    gc.collect()
    assert engine() is None
    assert math.isnan(metric.value())


def test_no_metrics_where_there_are_to_be_none(broker: Broker) -> None:
    settings: dict[str, Any] = {"metrics_enabled": False, "metric_reporters": [Heard]}
    with KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        assert consumer.metrics() is None
        assert consumer.metrics(raw=True) is None
    assert not Heard.made


def by_group(values: dict[MetricName, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        found.setdefault(name.group, {})[name.name] = value
    return found
