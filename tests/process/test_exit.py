"""A program that ends must end: at once, quietly, and without losing what it has sent."""

from __future__ import annotations

import textwrap

import pytest

from tests.process.scripts import run

DONE = '\nprint("done at", time.monotonic(), flush=True)\n'

UNCLOSED = {
    "a consumer that was never used": """
        consumer = Consumer(bootstrap_servers="127.0.0.1:1")
    """,
    "a consumer with records waiting": """
        broker = EmbeddedBroker(topics={"t": 1})
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for _ in range(1000):
                producer.send("t", b"value")
        consumer = Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
        consumer.assign([("t", 0)])
        record = next(consumer)
    """,
    "a consumer that another thread waits on": """
        broker = EmbeddedBroker(topics={"t": 1})
        consumer = Consumer(bootstrap_servers=broker.bootstrap_servers)
        consumer.assign([("t", 0)])
        threading.Thread(target=consumer.poll, args=(None,), daemon=True).start()
    """,
    "a producer that has sent everything": """
        broker = EmbeddedBroker(topics={"t": 1})
        producer = Producer(bootstrap_servers=broker.bootstrap_servers)
        delivery = producer.send("t", b"value")
        delivery.result(5)
    """,
    "an asyncio consumer whose loop is closed": """
        broker = EmbeddedBroker(topics={"t": 1})

        async def main():
            global consumer, future
            consumer = kafkars.aio.Consumer(bootstrap_servers=broker.bootstrap_servers)
            consumer.assign([("t", 0)])
            future = consumer.poll(None)
            try:
                await asyncio.wait_for(asyncio.shield(future), 0.05)
            except asyncio.TimeoutError:
                pass

        asyncio.run(main())
    """,
    "a question of the confluent_kafka face's administrator": """
        from kafkars.compat.confluent_kafka.admin import AdminClient

        broker = EmbeddedBroker(topics={"t": 1})
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        admin.list_topics(timeout=5)
        broker.intercept("ListGroups", "drop")
        groups = admin.list_consumer_groups()
    """,
    "a reference cycle around clients": """
        broker = EmbeddedBroker(topics={"t": 1})
        holder = {"consumer": Consumer(bootstrap_servers=broker.bootstrap_servers)}
        holder["self"] = holder
        del holder
    """,
    "threads that make clients until the end": """
        def make():
            while True:
                Consumer(bootstrap_servers="127.0.0.1:1").close()

        for _ in range(4):
            threading.Thread(target=make, daemon=True).start()
    """,
}


@pytest.mark.alone
@pytest.mark.parametrize("what", UNCLOSED)
def test_leaves_unclosed(what: str) -> None:
    finished = run(textwrap.dedent(UNCLOSED[what]) + DONE)
    assert (finished.code, finished.errors) == (0, "")
    assert finished.seconds < 1


def test_records_of_an_unclosed_producer_are_still_sent() -> None:
    finished = run("""
        import atexit
        broker = EmbeddedBroker(topics={"t": 1})
        atexit.register(lambda: print("stored", broker.offsets("t", 0)[1]))
        producer = Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000)
        for _ in range(100):
            producer.send("t", b"value")
    """)
    assert finished.output == "stored 100\n", finished
    assert (finished.code, finished.errors) == (0, "")


@pytest.mark.alone
def test_records_that_cannot_be_sent_at_the_end_are_reported_in_time() -> None:
    finished = run("""
        broker = EmbeddedBroker(topics={"t": 1})
        broker.intercept("Produce", "drop")
        producer = Producer(bootstrap_servers=broker.bootstrap_servers)
        for _ in range(7):
            producer.send("t", b"value")
        print("done at", time.monotonic(), flush=True)
    """)
    assert finished.code == 0
    assert "7 records" in finished.errors
    assert finished.seconds < 1.5


def test_an_exception_ends_the_program_with_nothing_but_its_traceback() -> None:
    finished = run("""
        broker = EmbeddedBroker(topics={"t": 1})
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value")
            raise SystemExit(3)
    """)
    assert (finished.code, finished.errors) == (3, "")


def test_threads_that_outlive_the_main_thread_ask_the_confluent_administrator() -> None:
    finished = run("""
        from kafkars.compat.confluent_kafka.admin import AdminClient

        broker = EmbeddedBroker(topics={"t": 1})
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        admin.list_consumer_groups().result(10)

        def ask():
            threading.main_thread().join()
            print(len(admin.list_consumer_groups().result(10).valid), flush=True)

        threading.Thread(target=ask).start()
    """)
    assert finished.output == "0\n", finished
    assert (finished.code, finished.errors) == (0, "")
