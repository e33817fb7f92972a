"""Quix Streams: readings are converted, alarms go to a topic, and a state per sensor keeps the highest reading.

Arguments: bootstrap servers, prefix of topics and groups, a directory.
"""

from __future__ import annotations

import json
import sys

from quixstreams import Application, State

SERVERS, PREFIX, DIRECTORY = sys.argv[1:4]
READINGS = [("kitchen", 20), ("cellar", 12), ("kitchen", 31), ("attic", 35), ("cellar", 9), ("attic", 33)]

app = Application(
    broker_address=SERVERS,
    consumer_group=f"{PREFIX}-group",
    auto_offset_reset="earliest",
    state_dir=DIRECTORY,
    loglevel="ERROR",
    processing_guarantee=sys.argv[4] if len(sys.argv) > 4 else "at-least-once",
)
readings = app.topic(f"{PREFIX}-readings", value_deserializer="json", key_deserializer="str")
alarms = app.topic(f"{PREFIX}-alarms", value_serializer="json", value_deserializer="json", key_deserializer="str")

with app.get_producer() as producer:
    for sensor, degrees in READINGS:
        message = readings.serialize(key=sensor, value={"sensor": sensor, "degrees": degrees})
        producer.produce(readings.name, value=message.value, key=message.key)

stream: list[dict[str, object]] = []


def highest(reading: dict[str, int], state: State) -> dict[str, int]:
    found = max(reading["degrees"], state.get("highest", -273))
    state.set("highest", found)
    return {**reading, "highest": found}


frame = app.dataframe(readings)
frame = frame.apply(highest, stateful=True)
frame = frame.update(stream.append)
frame = frame[frame["degrees"] > 30]
frame = frame.to_topic(alarms, key=lambda reading: reading["sensor"])
app.run(count=3, timeout=30)

received = []
with app.get_consumer() as consumer:
    consumer.subscribe([alarms.name])
    while len(received) < 3:
        message = consumer.poll(30)
        assert message is not None, "no alarm in time"
        assert message.error() is None, message.error()
        received.append((message.key().decode(), json.loads(message.value())["degrees"], message.partition()))
        consumer.store_offsets(message=message)
print(json.dumps({"stream": stream, "alarms": received}))
