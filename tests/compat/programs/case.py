"""What a program is given: a cluster, topics and groups of its own, and a way to tell what it sees."""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any

from tests.brokers import Broker


class Case:
    """One run of one program."""

    def __init__(self, program: str, servers: str, side: str) -> None:
        self.program = program
        self.servers = servers
        self._broker = Broker("any", servers)
        self._side = side
        # Other processes run the same program on the same brokers: what a pattern matches must be of this run.
        self.stem = f"{side}-{program}-{uuid.uuid4().hex[:8]}"
        # Names that differ from run to run, and what they are told as.
        self._aliases: dict[str, str] = {}

    def topic(self, name: str = "topic", partitions: int = 1, settings: dict[str, str] | None = None) -> str:
        """A new topic that nobody else has."""
        made = self._broker.new_topic(partitions, settings, f"{self.stem}-{name}")
        self._aliases[made] = name
        return made

    def name(self, name: str = "group") -> str:
        """A name that nobody else has: for a group, a transactional id, or a topic that is not created."""
        made = f"{self._side}-{self.program}-{name}-{id(self)}"
        self._aliases[made] = name
        return made

    def tell(self, *values: Any) -> None:
        """Says something that must be the same on the original and on the face."""
        self.write("told", [self.plain(value) for value in values])

    def write(self, kind: str, value: Any) -> None:
        sys.stdout.write(json.dumps({"program": self.program, kind: value}) + "\n")
        sys.stdout.flush()

    def plain(self, value: Any) -> Any:
        """A value of either library as JSON knows values."""
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if type(value).__name__ == "KafkaError":
            # A value that is handed to callbacks, and in the face an exception, too.
            return ["KafkaError", value.name()]
        for kinds, plain in (
            (BaseException, self._exception),
            (str, self._text),
            (bytes, lambda data: data.decode("latin-1")),
            (dict, lambda mapping: sorted(self.plain(list(mapping.items())))),
            ((set, frozenset), lambda items: sorted(self.plain(list(items)))),
            ((list, tuple), lambda items: [self.plain(item) for item in items]),
        ):
            if isinstance(value, kinds):
                return plain(value)
        return self._object(value)

    def _text(self, text: str) -> str:
        for name, alias in self._aliases.items():
            text = text.replace(name, alias)
        return text

    def _exception(self, error: BaseException) -> Any:
        """What catches it, the most special class first, and its code. Texts are for people and may differ."""
        inner = error.args[0] if error.args and hasattr(error.args[0], "code") else None
        code = None if inner is None else inner.name()
        return {"caught as": [kind.__name__ for kind in type(error).__mro__], "code": code}

    def _object(self, value: Any) -> Any:
        if type(value).__name__ == "TopicPartition":
            return self.plain([value.topic, value.partition, value.offset, value.error and value.error.name()])
        if type(value).__name__ == "Message":
            return self.plain([value.topic(), value.partition(), value.offset(), value.key(), value.value()])
        raise TypeError(f"{value!r} cannot be told")

    def raised(self, call: Any, *arguments: Any, **keywords: Any) -> None:
        """Tells the error of a call."""
        try:
            result = call(*arguments, **keywords)
        except Exception as error:  # noqa: BLE001 - whichever it is is told
            self.tell("raised", error)
        else:
            self.tell("returned", type(result).__name__)

    async def raised_by(self, awaitable: Any) -> None:
        """Tells the error of a coroutine."""
        try:
            result = await awaitable
        except Exception as error:  # noqa: BLE001 - whichever it is is told
            self.tell("raised", error)
        else:
            self.tell("returned", type(result).__name__)
