"""A service with FastAPI: orders come in by HTTP and go to Kafka, and what is in Kafka is added up and shown.

    pip install fastapi uvicorn
    KAFKA=localhost:9092 uvicorn --app-dir examples/service app:app

One producer and one consumer for the whole process, made when it starts and closed when it ends: SIGTERM lets requests
finish, then the consumer leaves its group and the producer sends what it still has.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request, Response
from kafkars.aio import Consumer, Producer
from kafkars.errors import DeserializationError, KafkaError
from kafkars.serde import JsonDeserializer, JsonSerializer
from pydantic import BaseModel

log = logging.getLogger("shop")

SERVERS = os.environ.get("KAFKA", "localhost:9092")
TOPIC = "orders"
LONGEST_SILENCE = 30.0
"""Seconds without an answer from the brokers after which this service takes no more work."""


class Order(BaseModel):
    """What is ordered."""

    customer: str
    item: str
    pieces: int = 1


class Shop:
    """What lives as long as the process."""

    def __init__(self) -> None:
        self.producer = Producer(
            bootstrap_servers=SERVERS,
            value_serializer=JsonSerializer(),
            # A request waits for its one record: nothing is gained by waiting for a second one.
            linger_ms=0,
            # Shorter than the time limit of whoever calls this service, so that it hears why.
            max_block_ms=3_000,
            delivery_timeout_ms=5_000,
            request_timeout_ms=3_000,
        )
        self.consumer = Consumer(
            bootstrap_servers=SERVERS,
            group_id="shop-totals",
            auto_offset_reset="earliest",
            value_deserializer=JsonDeserializer(Order),
        )
        self.totals: Counter[str] = Counter()
        self.reading: asyncio.Task[None] | None = None

    async def read(self) -> None:
        """Adds up what was ordered, until it is cancelled. Brokers that are away, from the start too, are waited
        for.
        """
        self.consumer.subscribe([TOPIC])
        while True:
            try:
                # Cancelling this loses nothing: a record leaves the consumer in the step that receives it.
                batch = await self.consumer.poll_batch(timeout=5)
            except KafkaError as error:
                if not error.retriable:
                    raise
                log.warning("reading goes on being tried: %s", error)
                continue
            for record in batch:
                try:
                    order = record.value
                except DeserializationError as error:
                    log.warning("%s-%s@%s is no order: %s", record.topic, record.partition, record.offset, error)
                    continue
                if order is not None:
                    self.totals[order.item] += order.pieces

    def trouble(self) -> str | None:
        """Why this process should get no work for now; None if all is well."""
        if self.reading is None or self.reading.done():
            return "nobody reads"
        health = self.consumer.health()
        if not health.connected:
            return "no broker is connected"
        if health.state != "stable":
            return f"the group is {health.state}"
        if health.stuck_since is not None and health.stuck_since > LONGEST_SILENCE:
            return f"brokers are silent for {health.stuck_since:.0f} s"
        return None


def ended(reading: asyncio.Task[None]) -> None:
    """Says why nobody reads any more, at once and not when the process ends."""
    if not reading.cancelled():
        log.error("reading has ended", exc_info=reading.exception())


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Everything from the first request to the last."""
    shop = app.state.shop = Shop()
    try:
        async with shop.producer, shop.consumer:
            shop.reading = asyncio.create_task(shop.read())
            shop.reading.add_done_callback(ended)
            yield
            shop.reading.cancel()
            # What it ended with, if it has, is in the log.
            await asyncio.wait([shop.reading])
    except KafkaError as error:
        # Brokers are away: orders that were refused have been told so, and what is not committed is read again.
        log.warning("ended without an answer of the brokers: %s", error)
    else:
        log.info("every order is in Kafka")


app = FastAPI(lifespan=lifespan)


@app.post("/orders", status_code=201)
async def place(order: Order, request: Request) -> dict[str, int]:
    """Answers when the order is stored, and says where."""
    shop: Shop = request.app.state.shop
    try:
        stored = await shop.producer.send(TOPIC, order, key=order.customer)
    except KafkaError as error:
        # What may be tried again is no fault of the request.
        raise HTTPException(503 if error.retriable else 500, f"the order was not stored: {error}") from error
    return {"partition": stored.partition, "offset": stored.offset}


@app.get("/totals")
async def totals(request: Request) -> dict[str, int]:
    """What was ordered so far, as far as this process has read."""
    shop: Shop = request.app.state.shop
    return dict(shop.totals)


@app.get("/health/live")
async def live(request: Request, response: Response) -> dict[str, str]:
    """Whether the process does its work. Brokers that are away are no reason to start it again; a reading task that has
    ended is.
    """
    shop: Shop = request.app.state.shop
    if shop.reading is None or shop.reading.done():
        response.status_code = 503
        return {"status": "nobody reads"}
    return {"status": "alive"}


@app.get("/health/ready")
async def ready(request: Request, response: Response) -> dict[str, str]:
    """Whether it should get work."""
    shop: Shop = request.app.state.shop
    trouble = shop.trouble()
    if trouble is not None:
        response.status_code = 503
    return {"status": trouble or "ready"}
