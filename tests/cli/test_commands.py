"""The `kafkars` command as people run it: as a program, with pipes and signals."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import Stopwatch, eventually

KAFKARS = [sys.executable, "-m", "kafkars"]
SECONDS = 30


def run(*words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KAFKARS, *words], input=lines, capture_output=True, text=True, timeout=SECONDS, check=False)


@contextmanager
def running_broker(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [*KAFKARS, "broker", "--port", "0", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            heard = re.fullmatch(r"listening on (\S+)\n", process.stdout.readline())
            assert heard is not None
            yield process, heard[1]
        finally:
            process.kill()


def test_the_demo_counts_and_checks_every_record() -> None:
    done = run("demo", "--records", "3000")
    assert done.returncode == 0, done.stderr
    assert "every record was acknowledged and read back: 4 x 3,000, with equal checksums" in done.stdout
    assert done.stderr == ""


def test_lines_go_in_and_come_out() -> None:
    with running_broker("--topic", "orders:2") as (_, servers):
        sent = run(
            "produce", "orders", "--bootstrap-server", servers, "--key-separator", "=", lines="a=1\nb=2\nplain\n"
        )
        assert (sent.returncode, sent.stderr) == (0, "3 of 3 records stored in orders\n")
        read = run("consume", "orders", "--bootstrap-servers", servers, "--from-beginning", "--max", "3", "--keys")
    assert (read.returncode, read.stderr) == (0, "")
    assert sorted(read.stdout.splitlines()) == ["\tplain", "a\t1", "b\t2"]


def test_consume_ends_when_nothing_comes() -> None:
    with EmbeddedBroker(topics={"quiet": 1}) as broker:
        read = run("consume", "quiet", "--bootstrap", broker.bootstrap_servers, "--timeout", "0.2")
    assert (read.returncode, read.stdout, read.stderr) == (0, "", "")


def silent(broker: EmbeddedBroker) -> None:
    broker.pause_node(1)


def killed(broker: EmbeddedBroker) -> None:
    broker.kill_node(1)


def without_answers(broker: EmbeddedBroker) -> None:
    for api in ("ListOffsets", "Fetch", "Produce"):
        broker.intercept(api, "drop")


def refusing(broker: EmbeddedBroker) -> None:
    broker.intercept("Produce", "NOT_ENOUGH_REPLICAS")


@pytest.mark.parametrize("go_away", [silent, killed, without_answers, refusing])
def test_produce_ends_in_time_when_nothing_is_stored(go_away: Callable[[EmbeddedBroker], None]) -> None:
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        go_away(broker)
        with Stopwatch() as watch:
            sent = run(
                "produce", "topic", "--bootstrap", broker.bootstrap_servers, "--timeout", "1", lines="line\n" * 20
            )
    assert watch.seconds < SECONDS / 2
    assert sent.returncode == 1
    assert "kafkars: " in sent.stderr
    assert "Traceback" not in sent.stderr


def test_every_command_for_a_cluster_has_a_time_limit() -> None:
    for command in re.findall(r"^    (\w+) ", run("--help").stdout, re.MULTILINE):
        options = run(command, "--help").stdout
        assert ("--bootstrap" in options) <= ("--timeout" in options), command


@pytest.mark.parametrize("go_away", [silent, killed, without_answers])
def test_consume_ends_in_time_when_nobody_answers(go_away: Callable[[EmbeddedBroker], None]) -> None:
    """It took 60 s before, the limit of a call: of the one that asks for the topic's partitions."""
    with EmbeddedBroker(topics={"quiet": 1}) as broker:
        go_away(broker)
        with Stopwatch() as watch:
            read = run("consume", "quiet", "--bootstrap", broker.bootstrap_servers, "--timeout", "1")
    assert watch.seconds < SECONDS / 2
    assert read.stdout == ""
    # Who was answered before has only heard nothing new.
    assert (read.returncode, bool(read.stderr)) == ((0, False) if go_away is without_answers else (1, True))


def test_consume_says_of_an_unknown_topic_that_it_is_none() -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        read = run("consume", "unknown", "--bootstrap", broker.bootstrap_servers, "--timeout", "0.5")
    assert (read.returncode, read.stdout) == (1, "")
    assert "UNKNOWN_TOPIC_OR_PARTITION" in read.stderr


@pytest.mark.parametrize("given", ["-1", "nan", "soon"])
def test_a_time_that_is_none_is_refused(given: str) -> None:
    read = run("consume", "topic", f"--timeout={given}")
    assert read.returncode == 2
    assert f"--timeout: {given!r} is not a number of seconds" in read.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_input_of_produce_and_what_was_read_is_stored(number: signal.Signals) -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        servers = broker.bootstrap_servers
        # They are still lingering when the signal comes.
        words = ["produce", "orders", "--bootstrap", servers]
        words += ["--set", "linger.ms=600000", "--set", "delivery.timeout.ms=900000"]
        with subprocess.Popen(
            [*KAFKARS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdin is not None
                process.stdin.write("one\ntwo\n")
                process.stdin.flush()
                eventually(lambda: "Metadata" in {each.api for each in broker.requests()}, "it has read the first line")
                process.send_signal(number)
                assert process.stderr is not None
                # The input stays open meanwhile.
                told = process.stderr.readline()
                assert process.wait(SECONDS) == 128 + number
            finally:
                process.kill()
        stored = [record.value for record in broker.records("orders")]
        assert told == f"{len(stored)} of {len(stored)} records stored in orders\n"
        assert stored in ([b"one"], [b"one", b"two"])


def test_produce_says_what_a_signal_has_kept_from_being_stored() -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        broker.intercept("Produce", "drop")
        words = ["produce", "orders", "--bootstrap", broker.bootstrap_servers, "--set", "close.timeout.ms=200"]
        with subprocess.Popen(
            [*KAFKARS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdin is not None
                process.stdin.write("one\n")
                process.stdin.flush()
                eventually(lambda: "Produce" in {each.api for each in broker.requests()}, "it has sent the line")
                process.send_signal(signal.SIGTERM)
                _, told = process.communicate(timeout=SECONDS)
                assert process.returncode == 128 + signal.SIGTERM
            finally:
                process.kill()
    assert "0 of 1 records stored in orders\n" in told


def test_sigterm_ends_consume_as_ctrl_c_does() -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        words = ["consume", "orders", "--bootstrap", broker.bootstrap_servers]
        with subprocess.Popen([*KAFKARS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                eventually(lambda: "Fetch" in {each.api for each in broker.requests()}, "it reads")
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=SECONDS)
                assert (process.returncode, out, err) == (128 + signal.SIGTERM, "", "")
            finally:
                process.kill()


def test_ctrl_c_and_sigterm_end_the_broker_cleanly() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        with running_broker("--topic", "a") as (process, _):
            assert process.stdout is not None
            assert process.stdout.readline() == "topic a with 1 partition\n"
            assert process.stdout.readline() == "Ctrl+C ends it; nothing is kept\n"
            process.send_signal(number)
            out, err = process.communicate(timeout=SECONDS)
            assert process.returncode == 0
            assert out.startswith("ended after ")
            assert err == ""


def test_topics_have_the_partitions_that_they_say_or_those_of_all_others() -> None:
    with running_broker("--topic", "orders", "--topic", "payments:2", "--partitions", "5") as (process, _):
        assert process.stdout is not None
        assert process.stdout.readline() == "topic orders with 5 partitions\n"
        assert process.stdout.readline() == "topic payments with 2 partitions\n"


def test_what_goes_wrong_is_one_line() -> None:
    with EmbeddedBroker() as broker:
        port = broker.bootstrap_servers.rpartition(":")[2]
        taken = run("broker", "--port", port)
        wrong = run("broker", "--port", "99999")
        unknown = run("consume", "no topic", "--bootstrap", broker.bootstrap_servers)
    assert taken.returncode == 1
    assert taken.stderr.startswith("kafkars: ")
    assert port in taken.stderr
    assert (wrong.returncode, wrong.stderr) == (1, "kafkars: port: 99999 is not a port: 0 to 65535\n")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (1, 1)
    assert "topic name" in unknown.stderr
    assert run("broker", "--topic", "a:b").returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ("broker", "--partitions", "0"),
        ("broker", "--nodes", "none"),
        ("demo", "--records", "-5"),
        ("consume", "topic", "--max", "-1"),
        ("consume", "topic", "--max", "0"),
        ("produce", "topic", "--partition", "-1"),
    ],
    ids=" ".join,
)
def test_a_number_out_of_range_is_told_by_its_option(words: tuple[str, ...]) -> None:
    ran = run(*words)
    assert ran.returncode == 2
    assert f"{words[-2]}: {words[-1]!r} is not a whole number of at least" in ran.stderr


def test_settings_come_from_a_file_and_from_words(tmp_path: Path) -> None:
    with EmbeddedBroker(topics="topic", security="SASL_PLAINTEXT", users={"me": "secret"}) as broker:
        file = tmp_path / "client.properties"
        file.write_text(
            "# who it is\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl_username=me\n"
        )
        words = ["topic", "--bootstrap", broker.bootstrap_servers, "--timeout", "10", "--config", str(file)]
        password = ["-X", "sasl.password=secret", "--set", "request_timeout_ms=9000"]
        ran = run("produce", *words, *password, lines="a kettle\n")
        assert ran.returncode == 0, ran.stderr
        ran = run("consume", *words, *password, "--from-beginning", "--max", "1")
        assert (ran.returncode, ran.stdout) == (0, "a kettle\n"), ran.stderr
    ran = run("consume", *words, "-X", "a secret")
    assert "a setting is written NAME=VALUE" in ran.stderr
    assert "a secret" not in ran.stderr


def test_the_end_of_waiting_is_a_failure_where_no_broker_is_there() -> None:
    with EmbeddedBroker(topics="topic") as broker:
        command = [*KAFKARS, "consume", "topic", "--bootstrap", broker.bootstrap_servers, "--timeout", "3"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            broker.wait_for_request("Fetch", timeout=SECONDS)
            broker.kill_node(1)
            _, told = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert "kafkars: no broker is connected; nothing came for 3 s" in told


@pytest.mark.parametrize(
    ("name", "words"),
    {
        "topics": r"in Python: kafkars\.Admin\(bootstrap_servers=…\)\.list_topics\(\)",
        "version": "use kafkars --version",
        "Producer": "use kafkars produce",
        "consum": "did you mean 'consume'",
        "it's": "there are demo, broker, produce, consume",
    }.items(),
)
def test_a_command_that_there_is_not_leads_to_what_there_is(name: str, words: str) -> None:
    done = run(name)
    assert done.returncode == 2
    assert re.search(f"kafkars: error: there is no command .*; .*{words}", done.stderr), done.stderr


@pytest.mark.parametrize("name", ["demo", "broker", "produce", "consume"])
def test_every_option_says_what_it_does_and_its_default(name: str) -> None:
    help_text = run(name, "--help").stdout
    described = re.sub(r"\s+", " ", help_text.split("options:")[1])
    of_each = re.split(r" (?=-{1,2}[\w-]+)(?<!, )", described)
    takes_no_value = ("-h", "--help", "--no-auto-create", "--quiet", "--keys", "-X", "--set", "--config", "--topic")
    silent = [each for each in of_each if each.strip() and not each.strip().startswith(takes_no_value)]
    assert [each for each in silent if "(default:" not in each] == []
    assert "usage" in help_text
    positional = help_text.partition("positional arguments:")[2].partition("options:")[0].split()
    assert positional[:1] in ([], ["topic"])
    assert len(positional) != 1, "the topic has no help"
