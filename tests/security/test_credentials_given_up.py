"""Functions that give credentials and are no longer waited for: nothing of them stays where that can be ended."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import CredentialsError

from tests.support.sasl_gate import SaslGate, sasl_gate
from tests.support.waiting import SECONDS, eventually

pytestmark = pytest.mark.timeout(120)
CLIENTS = 5
BRIEF = {"socket_connection_setup_timeout_ms": 100}
SHORT = {"socket_connection_setup_timeout_ms": 20}
MODULE = str(Path("kafkars", "config", "secret.py"))


def helpers() -> int:
    """How many threads are inside a function of the application for credentials."""
    waiting = 0
    for frame in sys._current_frames().values():
        code, at = MODULE, frame
        while at is not None and not at.f_code.co_filename.endswith(code):
            at = at.f_back  # type: ignore[assignment]
        waiting += at is not None
    return waiting


class Hanging:
    """An asynchronous function that never answers, and what became of its calls."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1
        return "never"

    @property
    def hangs(self) -> int:
        return self.begun - self.ended


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    yield
    eventually(lambda: helpers() == 0, "no thread waits for a function")


def settings_of(gate: SaslGate, setting: str, function: Callable[[], Any]) -> dict[str, Any]:
    """What has the function asked."""
    given = {
        "sasl_oauthbearer_token_provider": gate.token_settings,
        "sasl_password": gate.settings,
        "sasl_username": gate.settings,
        "sasl_aws_msk_iam_credentials_provider": gate.token_settings
        | {"sasl_mechanism": "AWS_MSK_IAM", "sasl_aws_msk_iam_region": "eu-west-1"},
    }
    return given[setting] | {setting: function}


SETTINGS = (
    "sasl_oauthbearer_token_provider",
    "sasl_password",
    "sasl_username",
    "sasl_aws_msk_iam_credentials_provider",
)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_close_ends_the_task_on_the_loop_of_the_application(setting: str) -> None:
    async def main(gate: SaslGate) -> None:
        function = Hanging()
        for number in range(CLIENTS):
            admin = kafkars.aio.Admin(**settings_of(gate, setting, function))
            listing = asyncio.create_task(admin.list_topics())
            await until(lambda number=number: function.begun > number)
            await asyncio.wait_for(admin.close(), SECONDS)
            with pytest.raises(kafkars.KafkaError):
                await listing
        await until(lambda: function.hangs == 0 and helpers() == 0)
        assert function.begun == CLIENTS

    with sasl_gate() as gate:
        asyncio.run(main(gate))


def test_the_end_of_the_time_ends_the_task_and_the_next_try_asks_anew() -> None:
    async def main(gate: SaslGate) -> None:
        function = Hanging()
        settings = settings_of(gate, SETTINGS[0], function)
        async with kafkars.aio.Admin(**settings, **BRIEF) as admin:
            # On a busy machine the time may be over before a thread comes to it.
            while function.begun < CLIENTS:
                with pytest.raises(CredentialsError, match="has not answered within 100 ms"):
                    await admin.list_topics(timeout=SECONDS)
            await until(lambda: function.hangs == 0)

    with sasl_gate() as gate:
        asyncio.run(main(gate))


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_synchronous_client_has_its_thread_back(setting: str) -> None:
    """There is no loop, so the function runs on one of the thread's own."""
    function = Hanging()
    with sasl_gate() as gate:
        while function.begun < CLIENTS:
            refused = pytest.raises(CredentialsError)
            with kafkars.Admin(**settings_of(gate, setting, function), **BRIEF) as admin, refused:
                admin.list_topics(timeout=SECONDS)
            eventually(lambda: function.hangs == 0 and helpers() == 0, "the call has ended")


def test_a_loop_that_stands_still_keeps_no_thread() -> None:
    """The loop is there, but does not run what is left to it; its task goes when it does."""
    function = Hanging()

    async def stand_still(gate: SaslGate) -> None:
        admin = kafkars.aio.Admin(**settings_of(gate, SETTINGS[0], function), socket_connection_setup_timeout_ms=1_000)
        listing = asyncio.create_task(admin.list_topics(timeout=SECONDS))
        await until(lambda: gate.connections > 0)
        # On the loop's own thread, on purpose.
        eventually(lambda: helpers() == 1, "the function is asked for")
        eventually(lambda: helpers() == 0, "nobody waits for it any more")
        with pytest.raises(CredentialsError):
            await listing
        await asyncio.wait_for(admin.close(), SECONDS)
        await until(lambda: function.hangs == 0)

    with sasl_gate() as gate:
        asyncio.run(stand_still(gate))


async def until(look: Callable[[], bool]) -> None:
    async def looking() -> None:
        while not look():  # noqa: ASYNC110  threads do what is looked for
            await asyncio.sleep(0.005)

    await asyncio.wait_for(looking(), SECONDS)


def test_functions_that_cannot_be_ended_occupy_a_bounded_number_of_threads() -> None:
    """In turn, each of another client: the last ones are told so instead of getting a thread."""
    gate_opens, most = threading.Event(), 64
    called: list[int] = []

    def hang() -> str:
        called.append(1)
        gate_opens.wait()
        return "never"

    told = ""
    try:
        with sasl_gate() as gate:
            deadline = time.monotonic() + 2 * SECONDS
            # One that is given up before its thread comes to it is not called, and does not count.
            while "have not returned" not in told and time.monotonic() < deadline:
                refused = pytest.raises(CredentialsError)
                with kafkars.Admin(**settings_of(gate, SETTINGS[0], hang), **SHORT) as admin, refused as raised:
                    admin.list_topics(timeout=SECONDS)
                told = str(raised.value)
        assert "64 calls of functions that give credentials have not returned" in told, told
        assert len(called) <= most + 1
    finally:
        gate_opens.set()
    eventually(lambda: helpers() == 0, "all have returned")
    refused = pytest.raises(CredentialsError, match="has not answered")
    with sasl_gate() as gate, kafkars.Admin(**settings_of(gate, SETTINGS[0], Hanging()), **BRIEF) as admin, refused:
        admin.list_topics(timeout=SECONDS)
