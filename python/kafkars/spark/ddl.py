"""Parser of schemas: Spark's DDL (`id BIGINT, tags ARRAY<STRING>`), or the JSON that `schema.json()` returns.

PySpark lets the JVM parse DDL, but the processes that check a source's options have none.
"""

from __future__ import annotations

import json
import re

from pyspark.sql import types

SIMPLE = {
    "boolean": types.BooleanType(),
    **dict.fromkeys(("tinyint", "byte"), types.ByteType()),
    **dict.fromkeys(("smallint", "short"), types.ShortType()),
    **dict.fromkeys(("int", "integer"), types.IntegerType()),
    **dict.fromkeys(("bigint", "long"), types.LongType()),
    **dict.fromkeys(("float", "real"), types.FloatType()),
    "double": types.DoubleType(),
    "string": types.StringType(),
    "date": types.DateType(),
    **dict.fromkeys(("timestamp", "timestamp_ltz"), types.TimestampType()),
    "timestamp_ntz": types.TimestampNTZType(),
}
"""Types by their names in DDL. BINARY is not among them: JSON has no such type, and there are several ways to write it
as text."""

TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|\w+|[<>(),:]|$)")


def parse(text: str) -> types.StructType:
    """Returns the columns of a schema.

    Raises:
        ValueError: It is neither DDL nor JSON of a schema.
    """
    if text.lstrip().startswith("{"):
        found = types.StructType.fromJson(_object(text))
        check(found)
        return found
    parser = Parser(text)
    found = types.StructType(parser.fields(""))
    if not found.fields:
        raise ValueError("it names no column")
    return found


def check(kind: types.DataType) -> None:
    """Checks that JSON has values for a type."""
    if isinstance(kind, types.StructType):
        for field in kind.fields:
            check(field.dataType)
    elif isinstance(kind, types.ArrayType):
        check(kind.elementType)
    elif isinstance(kind, types.MapType):
        if not isinstance(kind.keyType, types.StringType):
            raise ValueError(  # noqa: TRY004  the text is wrong, not its type
                f"keys of a map are text in JSON, not {kind.keyType.simpleString()}"
            )
        check(kind.valueType)
    elif not isinstance(kind, types.DecimalType) and kind not in SIMPLE.values():
        raise ValueError(f"{kind.simpleString()} has no form in JSON; take a STRING and convert it after load()")


def _object(text: str) -> dict[str, object]:
    found = json.loads(text)
    if not isinstance(found, dict) or found.get("type") != "struct" or not isinstance(found.get("fields"), list):
        raise ValueError('JSON of a schema has "type":"struct" and "fields"')
    return found


class Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"{text[at:].strip()[:20]!r} was not expected")
            self._tokens.append(match.group(1))
            at = match.end()
        self._at = 0

    def fields(self, end: str) -> list[types.StructField]:
        """Parses names and types up to a closing bracket, or the end of the text."""
        found: list[types.StructField] = []
        while self._next() != end:
            if found:
                self._expect(",")
            name = self._take()
            if not re.match(r"[\w`]", name):
                raise ValueError(f"{name or 'the end'!r} was not expected where a column is to be named")
            name = name[1:-1].replace("``", "`") if name.startswith("`") else name
            if self._next() == ":":
                self._take()
            found.append(types.StructField(name, self.type()))
        return found

    def type(self) -> types.DataType:
        """Parses one type."""
        name = self._take().lower()
        if name in SIMPLE:
            return SIMPLE[name]
        if name in {"decimal", "dec", "numeric"}:
            return self._decimal()
        if name == "array":
            self._expect("<")
            array = types.ArrayType(self.type())
            self._expect(">")
            return array
        if name == "map":
            self._expect("<")
            key = self.type()
            self._expect(",")
            made = types.MapType(key, self.type())
            self._expect(">")
            check(made)
            return made
        if name == "struct":
            self._expect("<")
            struct = types.StructType(self.fields(">"))
            self._expect(">")
            return struct
        if name == "binary":
            raise ValueError(
                "binary has no form in JSON; take a STRING and convert it after load(), such as unbase64()"
            )
        raise ValueError(f"{name or 'the end'!r} is no type that JSON can be decoded into")

    def _decimal(self) -> types.DecimalType:
        if self._next() != "(":
            return types.DecimalType(10, 0)
        self._take()
        numbers = [self._number()]
        if self._next() == ",":
            self._take()
            numbers.append(self._number())
        self._expect(")")
        precision, scale = (*numbers, 0)[:2]
        if not 0 < precision <= 38 or scale > precision:  # noqa: PLR2004  the most that Spark knows
            raise ValueError(f"decimal({precision},{scale}) has no room, or more than 38 digits")
        return types.DecimalType(precision, scale)

    def _number(self) -> int:
        token = self._take()
        if not token.isdecimal():
            raise ValueError(f"{token!r} was not expected where a number is")
        return int(token)

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self._at += 1
        return token

    def _expect(self, expected: str) -> None:
        token = self._take()
        if token != expected:
            raise ValueError(f"{token or 'the end'!r} was not expected where {expected!r} is")
