"""A runtime belongs to the process that made it; a fork notices, and can have its own."""

from __future__ import annotations

import os
import textwrap

import pytest

from tests.process.scripts import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

IN_CHILD = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, against fork beside threads

def in_child(work):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
            os._exit(1)
        os._exit(0)
    started = time.monotonic()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() - started > 5:
            os.kill(child, 9)
            print("the child hangs", flush=True)
            sys.exit(1)
        time.sleep(0.005)

def refused(call, *arguments, **settings):
    try:
        call(*arguments, **settings)
    except ForkedClientError as error:
        print("refused:", "make a client in the child" in str(error), flush=True)

broker = EmbeddedBroker(topics={"t": 1})
servers = broker.bootstrap_servers
"""

ROUND_TRIP = """
def round_trip(name):
    with Producer(bootstrap_servers=servers) as producer:
        offset = producer.send("t", name.encode()).result(5).offset
    with Consumer(bootstrap_servers=servers) as consumer:
        consumer.assign({("t", 0): offset})
        print(consumer.poll(5).value.decode(), flush=True)
"""


def lines(script: str) -> list[str]:
    finished = run(IN_CHILD + ROUND_TRIP + textwrap.dedent(script))
    assert (finished.code, finished.errors) == (0, ""), finished
    return finished.output.splitlines()


def test_a_producer_made_before_is_refused_in_the_child_and_works_in_the_parent() -> None:
    assert lines("""
        producer = Producer(bootstrap_servers=servers)
        delivery = producer.send("t", b"before")

        def work():
            for call in (producer.flush, producer.poll, producer.metrics, producer.__enter__):
                refused(call)
            refused(producer.send, "t", b"child")
            refused(producer.partitions_for, "t")
            producer.close()

        in_child(work)
        producer.send("t", b"after").result(5)
        producer.close()
        print("offsets", broker.offsets("t", 0))
    """) == ["refused: True"] * 6 + ["offsets (0, 2)"]


def test_a_consumer_made_before_is_refused_in_the_child_and_works_in_the_parent() -> None:
    assert lines("""
        consumer = Consumer(bootstrap_servers=servers, auto_offset_reset="earliest")
        consumer.assign([("t", 0)])
        consumer.poll(0.1)

        def work():
            for call in (consumer.poll, consumer.poll_batch, consumer.assignment, consumer.topics, consumer.metrics):
                refused(call)
            refused(next, consumer)
            refused(consumer.seek, ("t", 0), 0)
            consumer.close()

        in_child(work)
        round_trip("parent")
        print(consumer.poll(5).value.decode())
        consumer.close()
    """) == ["refused: True"] * 7 + ["parent", "parent"]


@pytest.mark.parametrize("before", ["pass", 'round_trip("parent")'], ids=["imported", "used"])
def test_members_of_forked_processes_are_members_of_their_own(before: str) -> None:
    """Members of the newer group protocol make their ids themselves: equal ones would be one member, twice."""
    found = lines(
        before
        + """
broker.create_topic("shared", 2)

def work():
    with Consumer(bootstrap_servers=servers, group_id="g", group_protocol="consumer") as consumer:
        consumer.subscribe(["shared"])
        while not consumer.assignment():
            consumer.poll(0.05)
        print("member", consumer.group_metadata().member_id, flush=True)

in_child(work)
in_child(work)
"""
    )
    members = [line.split()[1] for line in found if line.startswith("member")]
    assert len(members) == len(set(members)) == 2


def test_asyncio_clients_made_before_are_refused() -> None:
    assert (
        lines("""
        async def make():
            global producer, consumer
            producer = kafkars.aio.Producer(bootstrap_servers=servers)
            await producer.send("t", b"before")
            consumer = kafkars.aio.Consumer(bootstrap_servers=servers)

        asyncio.run(make())

        async def use():
            refused(producer.send, "t", b"child")
            refused(producer.send_nowait, "t", b"child")
            refused(producer.flush)
            try:
                await consumer.poll()  # takes nothing, and so refuses nothing, before it is awaited
            except ForkedClientError as error:
                print("refused:", "make a client in the child" in str(error), flush=True)
            await producer.close()
            await consumer.close()

        in_child(lambda: asyncio.run(use()))
        asyncio.run(producer.close())
    """)
        == ["refused: True"] * 4
    )


def test_a_delivery_from_before_is_not_waited_for_in_the_child() -> None:
    assert lines("""
        producer = Producer(bootstrap_servers=servers, linger_ms=60_000)
        delivery = producer.send("t", b"before")
        in_child(lambda: refused(delivery.result))
        producer.close()
    """) == ["refused: True"]


def test_clients_made_in_the_child_work_beside_those_of_the_parent() -> None:
    assert lines("""
        round_trip("parent before")
        in_child(lambda: round_trip("child"))
        in_child(lambda: in_child(lambda: round_trip("grandchild")))
        round_trip("parent after")
    """) == ["parent before", "child", "grandchild", "parent after"]


def test_asyncio_in_the_child_after_asyncio_in_the_parent() -> None:
    assert lines("""
        async def round_trip_asyncio(name):
            async with kafkars.aio.Producer(bootstrap_servers=servers) as producer:
                metadata = await producer.send("t", name.encode())
            async with kafkars.aio.Consumer(bootstrap_servers=servers) as consumer:
                consumer.assign({("t", 0): metadata.offset})
                print((await consumer.poll(5)).value.decode(), flush=True)

        asyncio.run(round_trip_asyncio("parent"))
        in_child(lambda: asyncio.run(round_trip_asyncio("child")))
        asyncio.run(round_trip_asyncio("parent"))
    """) == ["parent", "child", "parent"]


def test_forking_under_load_never_hangs() -> None:
    assert lines("""
        stop, running = threading.Event(), threading.Barrier(3)

        def load():
            with Producer(bootstrap_servers=servers, linger_ms=0) as producer:
                producer.send("t", b"load").result(5)
                running.wait()
                while not stop.is_set():
                    producer.send("t", b"load").result(5)

        threads = [threading.Thread(target=load) for _ in range(2)]
        for thread in threads:
            thread.start()
        running.wait()

        def send():
            with Producer(bootstrap_servers=servers) as producer:
                producer.send("t", b"child").result(5)

        for _ in range(50):
            in_child(send)
        stop.set()
        for thread in threads:
            thread.join()
        print("over")
    """) == ["over"]


def test_the_child_may_end_as_any_program_does() -> None:
    assert lines("""
        producer = Producer(bootstrap_servers=servers, linger_ms=60_000)
        producer.send("t", b"value")
        consumer = Consumer(bootstrap_servers=servers)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            sys.exit(0)  # runs finalizers and everything registered with atexit
        print("status", os.waitpid(child, 0)[1])
        producer.close()
        print("offsets", broker.offsets("t", 0))
    """) == ["status 0", "offsets (0, 1)"]


def test_worker_processes_of_multiprocessing() -> None:
    finished = run(
        """
        import multiprocessing

        def send(servers, name):
            with Producer(bootstrap_servers=servers) as producer:
                return producer.send("t", name).result(5).offset

        if __name__ == "__main__":
            with EmbeddedBroker(topics={"t": 1}) as broker:
                send(broker.bootstrap_servers, "parent")
                with multiprocessing.get_context("fork").Pool(3) as pool:
                    sent = pool.starmap(send, [(broker.bootstrap_servers, str(n)) for n in range(9)])
                print(sorted(sent))
        """,
        options=("-W", "ignore"),
    )
    assert (finished.code, finished.output, finished.errors) == (0, f"{list(range(1, 10))}\n", "")


def test_a_child_of_a_coroutine_has_no_loop_that_runs() -> None:
    assert lines("""
        async def main():
            async with kafkars.aio.Producer(bootstrap_servers=servers) as producer:
                await producer.send("t", b"before")

                def work():
                    own = kafkars.aio.Producer(bootstrap_servers=servers)
                    try:
                        own.send("t", b"child")
                    except RuntimeError as error:
                        print("needs a running event loop" in str(error), flush=True)

                in_child(work)

        asyncio.run(main())
    """) == ["True"]


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_worker_process_says_what_it_lost(start: str) -> None:
    """A forked process of `multiprocessing` ends without `atexit`."""
    script = """
    import multiprocessing, pathlib, tempfile
    folder = tempfile.mkdtemp()
    program = pathlib.Path(folder, "worker.py")
    program.write_text(
        "import logging\\n"
        "from kafkars import Producer\\n"
        "def work(servers, told):\\n"
        "    logging.basicConfig(filename=told, level=logging.WARNING)\\n"
        "    with Producer(bootstrap_servers=servers) as producer:\\n"
        "        producer.send('t', b'refused')\\n"
    )
    sys.path.insert(0, folder)
    import worker
    broker.intercept("Produce", "MESSAGE_TOO_LARGE", times=None)
    told = os.path.join(folder, "told")
    child = multiprocessing.get_context("START").Process(target=worker.work, args=(servers, told))
    child.start()
    child.join(15)
    print(child.exitcode, "MESSAGE_TOO_LARGE" in pathlib.Path(told).read_text())
    """
    assert lines(script.replace("START", start)) == ["0 True"]
