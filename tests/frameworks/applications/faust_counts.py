"""Faust: an agent that counts words in a table, whose changes go to a topic, and passes totals on to another agent.

Arguments: bootstrap servers, prefix of topics and groups, a directory.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

import faust

SERVERS, PREFIX, DIRECTORY = sys.argv[1:]
WORDS = "the cat and the dog and the bird".split()


class Word(faust.Record):
    text: str


class Total(faust.Record):
    text: str
    count: int


app = faust.App(
    f"{PREFIX}-words",
    broker=f"kafka://{SERVERS}",
    store="memory://",
    datadir=DIRECTORY,
    topic_partitions=1,
    topic_replication_factor=1,
    web_enabled=False,
    stream_wait_empty=False,
)
# Faust creates what is its own; others would have to be there.
words = app.topic(f"{PREFIX}-in", value_type=Word, key_type=str, internal=True, partitions=1)
totals = app.topic(f"{PREFIX}-totals", value_type=Total, key_type=str, internal=True, partitions=1)
counts = app.Table(f"{PREFIX}-counts", default=int)
seen: list[tuple[str, int]] = []


@app.agent(words)
async def count(stream: faust.Stream[Word]) -> None:
    async for word in stream:
        counts[word.text] += 1
        await totals.send(key=word.text, value=Total(word.text, counts[word.text]))


@app.agent(totals)
async def tell(stream: faust.Stream[Total]) -> None:
    async for event in stream.events():
        total = event.value
        seen.append((total.text, total.count))
        if len(seen) == len(WORDS):
            print(
                json.dumps({"seen": seen, "counts": dict(counts.items()), "offset": event.message.offset}), flush=True
            )
            finished.set()


finished = asyncio.Event()


@app.task
async def send() -> None:
    for word in WORDS:
        await words.send(key=word, value=Word(word))
    await asyncio.wait_for(finished.wait(), 40)
    await app.producer.flush()
    worker.schedule_shutdown() if hasattr(worker, "schedule_shutdown") else os.kill(os.getpid(), 15)


worker = faust.Worker(app, loglevel="ERROR", redirect_stdouts=False)
worker.execute_from_commandline()
