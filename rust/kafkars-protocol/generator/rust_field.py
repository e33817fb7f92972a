"""One field in Rust: its type, default, and how it is read and written."""

from __future__ import annotations

import names
from schema import Field, SchemaError, Struct

# Kafka's primitive: (Rust type, method of Reader and Writer, fewest bytes on the wire)
FIXED = {
    "bool": ("bool", "bool", 1),
    "int8": ("i8", "i8", 1),
    "int16": ("i16", "i16", 2),
    "uint16": ("u16", "u16", 2),
    "int32": ("i32", "i32", 4),
    "uint32": ("u32", "u32", 4),
    "int64": ("i64", "i64", 8),
    "float64": ("f64", "f64", 8),
    "uuid": ("Uuid", "uuid", 16),
}
# Fields that nobody compares or sends again.
FOR_PEOPLE = "ErrorMessage"
INTEGERS = {"int8", "int16", "uint16", "int32", "uint32", "int64"}


class RustField:
    """`rename` maps Kafka's structure names to the ones used in this file."""

    def __init__(self, item: Field, struct: Struct, flexible: bool, rename: dict[str, str]) -> None:
        self.item = item
        self.struct = struct
        self.name = names.field(item.name)
        self.element = _element(item, rename)
        self.optional = not item.nullable.is_empty
        self.always_nullable = item.nullable.covers(item.versions)
        self.flexible = "flexible" if flexible and item.flexible else "false"
        self.present = item.versions.condition(struct.within)

    @property
    def type(self) -> str:
        inner = f"Vec<{self.element}>" if self.item.is_array else self.element
        return f"Option<{inner}>" if self.optional else inner

    @property
    def default(self) -> str:
        """A Rust expression."""
        item = self.item
        text = item.default
        if self.optional:
            # Kafka's own rule: records default to null, everything else only when the schema says so.
            if text == "null" or (item.element == "records" and text is None):
                return "None"
            if text not in (None, ""):
                raise SchemaError(f"{item.name}: a nullable field with default {text}")
            return f"Some({'Vec' if item.is_array else self.element}::{'default' if item.is_struct and not item.is_array else 'new'}())"
        if item.is_array:
            return "Vec::new()"
        if item.element == "bool":
            return str(text or False).lower()
        if item.element in INTEGERS:
            value = int(str(text or 0), 0)
            limits = {2**31 - 1: "i32::MAX", -(2**31): "i32::MIN", 2**63 - 1: "i64::MAX", -(2**63): "i64::MIN"}
            return limits.get(value, str(value))
        if item.element == "float64":
            return repr(float(str(text or 0)))
        if item.element == "uuid":
            return "Uuid::ZERO"
        if text not in (None, ""):
            raise SchemaError(f"{item.name}: default {text}")
        return f"{self.element}::{'default' if item.is_struct else 'new'}()"

    @property
    def has_plain_default(self) -> bool:
        """Whether Rust's own Default says the same."""
        return self.default in ("None", "0", "0.0", "false", "Uuid::ZERO") or (
            not self.optional and self.default.endswith(("::new()", "::default()"))
        )

    @property
    def differs_from_default(self) -> str:
        """A Rust condition on `self`."""
        place = f"self.{self.name}"
        if self.optional:
            if self.default == "None":
                return f"{place}.is_some()"
            if self.item.is_struct and not self.item.is_array:
                return f"{place} != {self.default}"
            return f"{place}.as_ref().is_none_or(|value| !value.is_empty())"
        if self.item.is_array or self.element in ("String", "Bytes"):
            return f"!{place}.is_empty()"
        if self.item.element == "bool":
            return f"!{place}" if self.default == "true" else place
        return f"{place} != {self.default}"

    @property
    def doc(self) -> str:
        notes = [self.item.versions.since(self.struct.within)]
        if not self.has_plain_default:
            notes.append(f"default {self.item.default}" if self.item.default not in (None, "") else "default empty")
        if self.optional:
            limited = self.item.nullable.since(self.item.versions)
            notes.append("may be null" + (f" {limited}" if limited else ""))
        if self.item.tag is not None:
            notes.append(f"tag {self.item.tag}")
        unit = ", in milliseconds" if self.item.name.endswith("Ms") else ""
        said = ", ".join(note for note in notes if note)
        return f"`{self.item.name}`{unit}" + (f"; {said}." if said else ".")

    @property
    def read(self) -> str:
        """A Rust expression for versions that have the field."""
        if not self.optional:
            return self._read_plain()
        if self.always_nullable:
            return self._read_nullable()
        condition = self.item.nullable.condition(self.item.versions)
        return f"if {condition} {{ {self._read_nullable()} }} else {{ Some({self._read_plain()}) }}"

    def _read_plain(self) -> str:
        label = f'"{self.item.name}"'
        if self.item.is_array:
            return f"reader.array(version, {self.flexible}, {label})?"
        if self.item.element in FIXED:
            return f"reader.{FIXED[self.item.element][1]}({label})?"
        if self.item.is_struct:
            return f"{self.element}::read(reader, version, {self.flexible})?"
        return f"reader.{'string' if self.element == 'String' else 'bytes'}({self.flexible}, {label})?"

    def _read_nullable(self) -> str:
        label = f'"{self.item.name}"'
        if self.item.is_array:
            return f"reader.nullable_array(version, {self.flexible}, {label})?"
        if self.item.is_struct:
            return f"reader.nullable_struct(version, {self.flexible}, {label})?"
        if self.item.name == FOR_PEOPLE:
            return f"reader.nullable_message({self.flexible}, {label})?"
        return f"reader.nullable_{'string' if self.element == 'String' else 'bytes'}({self.flexible}, {label})?"

    def write(self, writer: str = "writer") -> str:
        """Rust statements for versions that have the field."""
        if not self.optional:
            return self._write_plain(writer, f"self.{self.name}")
        if self.always_nullable:
            return self._write_nullable(writer)
        condition = self.item.nullable.condition(self.item.versions)
        required = f'{writer}.required(version, "{self.item.name}", &self.{self.name})?'
        return (
            f"if {condition} {{ {self._write_nullable(writer)} }} else {{ let value = {required}; "
            f"{self._write_plain(writer, 'value')} }}"
        )

    def _write_plain(self, writer: str, place: str) -> str:
        label = f'"{self.item.name}"'
        borrowed = place if place == "value" else f"&{place}"
        if self.item.is_array:
            return f"{writer}.array(version, {self.flexible}, {label}, {borrowed})?;"
        if self.item.element in FIXED:
            return f"{writer}.{FIXED[self.item.element][1]}({place});"
        if self.item.is_struct:
            return f"{place}.write({writer}, version, {self.flexible})?;"
        return f"{writer}.{'string' if self.element == 'String' else 'bytes'}({self.flexible}, {label}, {borrowed})?;"

    def _write_nullable(self, writer: str) -> str:
        label = f'"{self.item.name}"'
        place = f"self.{self.name}"
        if self.item.is_array:
            return f"{writer}.nullable_array(version, {self.flexible}, {label}, {place}.as_deref())?;"
        if self.item.is_struct:
            return f"{writer}.nullable_struct(version, {self.flexible}, {place}.as_ref())?;"
        if self.element == "String":
            return f"{writer}.nullable_string({self.flexible}, {label}, {place}.as_deref())?;"
        return f"{writer}.nullable_bytes({self.flexible}, {label}, {place}.as_ref())?;"


def _element(item: Field, rename: dict[str, str]) -> str:
    if item.element in FIXED:
        return FIXED[item.element][0]
    if item.is_struct:
        return rename[item.element]
    return "String" if item.element == "string" else "Bytes"
