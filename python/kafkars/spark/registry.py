"""A client of schema registries, as far as a reader needs it: schemas by id, and the newest one of a subject."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from kafkars.spark.errors import SchemaRegistryError

SECONDS = 10.0
"""The time limit of a request in seconds."""

TRIES = 3
PAUSE = 0.3
"""Seconds before a registry that cannot be reached is asked again; they double with each attempt."""

LONGEST_ANSWER = 16 << 20
NOT_FOUND = 404
SERVER_ERROR = 500


@dataclass(frozen=True)
class SchemaRegistry:
    """A schema registry with its addresses, any of which will do."""

    urls: tuple[str, ...]
    credentials: str | None = field(default=None, repr=False)
    """User and password, separated by a colon."""

    def newest(self, subject: str) -> str:
        """Returns the newest schema of a subject.

        Raises:
            SchemaRegistryError: There is none, or the registry cannot be asked.
            LookupError: It is not one of Avro.
        """
        import urllib.parse  # noqa: PLC0415  as below

        return _avro(self._get(f"/subjects/{urllib.parse.quote(subject, safe='')}/versions/latest"))

    def by_id(self, number: int) -> str:
        """Returns the schema of an id.

        Raises:
            SchemaRegistryError: The registry cannot be asked.
            LookupError: It has no schema of this id, or not one of Avro.
        """
        try:
            return _avro(self._get(f"/schemas/ids/{number}"))
        except SchemaRegistryError as error:
            if error.status == NOT_FOUND:
                raise LookupError("the schema registry has none of this id") from None
            raise

    def _get(self, path: str) -> dict[str, Any]:
        pause = PAUSE
        for _ in range(TRIES - 1):
            try:
                return self._try_all(path)
            except SchemaRegistryError as error:
                if error.status is not None and error.status < SERVER_ERROR:
                    raise
            time.sleep(pause)
            pause *= 2
        return self._try_all(path)

    def _try_all(self, path: str) -> dict[str, Any]:
        failure: SchemaRegistryError | None = None
        for url in self.urls:
            try:
                return self._ask(url, path)
            except SchemaRegistryError as error:  # noqa: PERF203  one address after the other
                if error.status is not None and error.status < SERVER_ERROR:
                    raise
                failure = error
        raise failure or SchemaRegistryError("schema.registry.url: names no registry")

    def _ask(self, url: str, path: str) -> dict[str, Any]:
        # Imported here: workers that ask no registry save the memory of HTTP and TLS.
        import base64  # noqa: PLC0415
        import urllib.error  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        request = urllib.request.Request(url + path, headers={"Accept": "application/vnd.schemaregistry.v1+json"})  # noqa: S310  the options let only http and https through
        if self.credentials is not None:
            said = base64.b64encode(self.credentials.encode()).decode()
            # Unredirected: they are not sent where a redirection leads.
            request.add_unredirected_header("Authorization", f"Basic {said}")
        where = f"schema.registry.url: {url}{path}"
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310  likewise
                found = json.loads(answer.read(LONGEST_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                raise SchemaRegistryError(f"{where} answered {error.code} {error.reason}", status=error.code) from None
        except OSError as error:
            raise SchemaRegistryError(f"{where} cannot be asked: {getattr(error, 'reason', error)}") from None
        except ValueError:
            raise SchemaRegistryError(f"{where} answered no JSON; is it a schema registry?") from None
        if not isinstance(found, dict):
            raise SchemaRegistryError(f"{where} answered no JSON object; is it a schema registry?")
        return found


def _avro(found: dict[str, Any]) -> str:
    kind, text = found.get("schemaType", "AVRO"), found.get("schema")
    if kind != "AVRO" or not isinstance(text, str):
        raise LookupError(f"it is no schema of Avro but {kind!r}")
    if found.get("references"):
        raise LookupError("it refers to schemas of other subjects, which is not supported")
    return text
