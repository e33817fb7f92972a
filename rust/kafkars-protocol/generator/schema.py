"""Kafka's message schemas, read and checked."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import versions
from versions import Versions

PRIMITIVES = {
    "bool",
    "int8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "float64",
    "string",
    "uuid",
    "bytes",
    "records",
}
# Structures that groups put inside bytes of other messages.
GROUP_PROTOCOL = ["ConsumerProtocolSubscription", "ConsumerProtocolAssignment"]


class SchemaError(Exception):
    """A schema uses something that this generator does not know."""


@dataclass
class Field:
    name: str
    element: str  # a primitive or the name of a structure
    is_array: bool
    versions: Versions
    nullable: Versions
    default: object
    ignorable: bool
    tag: int | None
    flexible: bool  # false when the field keeps classic lengths in flexible versions

    @property
    def is_struct(self) -> bool:
        return self.element not in PRIMITIVES


@dataclass
class Struct:
    name: str
    fields: list[Field]
    within: Versions  # the versions in which it can occur


@dataclass
class Message:
    name: str
    kind: str  # request, response or data
    api_key: int | None
    valid: Versions
    flexible: Versions
    structs: dict[str, Struct] = field(default_factory=dict)  # nested ones by Kafka's name, in order of appearance

    @property
    def root(self) -> Struct:
        return self.structs[self.name]


@dataclass
class Api:
    """What becomes one file."""

    name: str
    key: int | None
    messages: list[Message]


def load(source: Path) -> list[Api]:
    """Every API that brokers answer, by key, and the group protocol, from a jar or a directory of schemas."""
    texts = _texts(source)
    parsed = {name: _json(text) for name, text in texts.items()}
    apis = []
    for name, request in parsed.items():
        if request["type"] != "request" or request["validVersions"] == "none":
            continue
        if "broker" not in request["listeners"]:
            continue
        stem = name.removesuffix("Request")
        messages = [_message(request), _message(parsed[stem + "Response"])]
        apis.append(Api(stem, request["apiKey"], messages))
    apis.sort(key=lambda api: api.key or 0)
    return apis + [Api(name, None, [_message(parsed[name])]) for name in GROUP_PROTOCOL]


def _texts(source: Path) -> dict[str, str]:
    if source.is_dir():
        return {path.stem: path.read_text(encoding="utf-8") for path in source.glob("*.json")}
    with zipfile.ZipFile(source) as jar:
        names = [name for name in jar.namelist() if name.startswith("common/message/") and name.endswith(".json")]
        return {Path(name).stem: jar.read(name).decode() for name in names}


def _json(text: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    return parsed


def _message(data: dict[str, Any]) -> Message:
    valid = versions.parse(data["validVersions"])
    if data.get("latestVersionUnstable"):
        valid = Versions(valid.low, valid.high - 1)
    flexible = versions.parse(data["flexibleVersions"]).intersect(valid)
    message = Message(data["name"], data["type"], data.get("apiKey"), valid, flexible)
    # The outer structure comes first; the common ones may be used from anywhere, so they are not narrowed.
    _struct(message, data["name"], data["fields"], valid)
    for common in data.get("commonStructs", []):
        _struct(message, common["name"], common["fields"], versions.parse(common["versions"]).intersect(valid))
    for struct in message.structs.values():
        for item in struct.fields:
            if item.is_struct and item.element not in message.structs:
                raise SchemaError(f"{message.name}: no structure {item.element}")
    return message


def _struct(message: Message, name: str, fields: list[dict[str, Any]], within: Versions) -> None:
    if name in message.structs:
        raise SchemaError(f"{message.name}: two structures {name}")
    struct = Struct(name, [], within)
    message.structs[name] = struct
    for data in fields:
        item = _field(message, data, within)
        if item.versions.is_empty:
            continue  # gone before the oldest version that is still spoken
        struct.fields.append(item)
        if "fields" in data:
            _struct(message, item.element, data["fields"], item.versions)


def _field(message: Message, data: dict[str, Any], within: Versions) -> Field:
    kind = data["type"]
    present = versions.parse(data["versions"]).intersect(within)
    item = Field(
        name=data["name"],
        element=kind.removeprefix("[]"),
        is_array=kind.startswith("[]"),
        versions=present,
        nullable=versions.parse(data.get("nullableVersions")).intersect(present),
        default=data.get("default"),
        ignorable=bool(data.get("ignorable")),
        tag=data.get("tag"),
        flexible=data.get("flexibleVersions") != "none",
    )
    if item.tag is not None:
        tagged = versions.parse(data["taggedVersions"]).intersect(within)
        if tagged != present or not message.flexible.covers(tagged):
            raise SchemaError(f"{message.name}.{item.name}: tagged in some versions only")
        if item.is_struct and not item.is_array and not item.nullable.is_empty:
            raise SchemaError(f"{message.name}.{item.name}: a tagged structure that may be null")
    return item
