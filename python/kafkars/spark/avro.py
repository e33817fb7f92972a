"""Checks of Avro schemas before the native module decodes with them."""

from __future__ import annotations

import json
from typing import Any

PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
WRAPPED = "value"
"""The field of the record that is put around other schemas. It changes no payload: a record is encoded as its
fields."""


def as_record(text: str) -> tuple[str, bool]:
    """Returns the schema as that of a record, and whether a record had to be put around it.

    Raises:
        ValueError: It is no schema, or one with which a small payload could fill the memory.
    """
    try:
        schema = json.loads(text)
    except ValueError:
        # A registry may store a primitive type without quotes.
        schema = text.strip()
        if schema not in PRIMITIVES:
            raise ValueError("it is no JSON") from None
    refuse_endless(schema, {})
    if isinstance(schema, dict) and schema.get("type") in {"record", "error"}:
        return json.dumps(schema), False
    fields = [{"name": WRAPPED, "type": schema}]
    return json.dumps({"type": "record", "name": "Wrapped", "namespace": "kafkars", "fields": fields}), True


def refuse_endless(schema: Any, named: dict[str, bool]) -> bool:
    """Refuses arrays whose items take no bytes: a few bytes of payload could stand for a billion of them.

    Returns:
        True if a value of the schema may take no bytes.
    """
    if isinstance(schema, str):
        return schema == "null" or named.get(schema, False)
    if isinstance(schema, list):
        for each in schema:
            refuse_endless(each, named)
        return False
    return isinstance(schema, dict) and _refuse_endless_type(schema, named)


def _refuse_endless_type(schema: dict[str, Any], named: dict[str, bool]) -> bool:
    kind = schema.get("type")
    if kind == "array":
        if refuse_endless(schema.get("items"), named):
            raise ValueError(
                "it has an array whose items take no bytes, of which a short payload could hold any number"
            )
        return False
    if kind == "map":
        # Each entry has a key.
        refuse_endless(schema.get("values"), named)
        return False
    if kind == "fixed":
        empty = schema.get("size") == 0
    elif kind in {"record", "error"}:
        empty = not [each for each in _fields(schema) if not refuse_endless(each.get("type"), named)]
    else:
        return kind != "enum" and refuse_endless(kind, named)
    named.update(dict.fromkeys(names(schema), empty))
    return empty


def names(schema: dict[str, Any]) -> list[str]:
    """Returns the names by which a schema may refer to a type."""
    name = str(schema.get("name", ""))
    return [name, f"{schema.get('namespace')}.{name}", name.rpartition(".")[2]]


def _fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    fields = schema.get("fields")
    return [each for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []
