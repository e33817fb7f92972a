"""One Rust file per API."""

from __future__ import annotations

import re

import names
from rust_field import FIXED, RustField
from schema import Api, Field, Message, Struct
from versions import Versions

# What a structure is made of, to tell whether two of one name are the same.
Shape = tuple[Versions, list[Field], list["Shape"]]

HEADER = "// Written by generator/generate.py from the message schemas of Apache Kafka {kafka}. Do not edit.\n"


def file_for(api: Api, kafka: str) -> str:
    body = []
    seen: dict[str, Shape] = {}
    for message in api.messages:
        rename = _renames(message, seen)
        for name, struct in message.structs.items():
            if rename[name] in seen:
                continue  # the request has the very same structure
            seen[rename[name]] = _shape(message, struct)
            body.append(_struct(message, struct, rename))
            if message.kind == "request":
                body.append(_describe(struct, rename))
        body.append(_message_impl(api, message))
    text = "\n".join(body)
    external = "use bytes::Bytes;\n\n" if re.search(r"[ <]Bytes\b", text) else ""
    crate_names = ["DecodeError", "EncodeError", "Message", "Reader", "VersionRange", "Writer"]
    crate_names += ["ApiKey", "Request"] if api.key is not None else []
    crate_names += ["Uuid"] if re.search(r"\bUuid\b", text) else []
    return (
        HEADER.format(kafka=kafka)
        + _module_doc(api)
        + "\n"
        + external
        + ("use crate::describe::describe;\n" if "describe!(" in text else "")
        + f"use crate::element::Element;\nuse crate::{{{', '.join(sorted(crate_names))}}};\n\n"
        + text
    )


def _module_doc(api: Api) -> str:
    first = api.messages[0]
    key = f" (API key {api.key})" if api.key is not None else ""
    flexible = "never flexible" if first.flexible.is_empty else f"flexible since version {first.flexible.low}"
    if not first.flexible.is_empty and first.flexible.low <= first.valid.low:
        flexible = "always flexible"
    if first.valid.low == first.valid.high:
        spoken = f"version {first.valid.low}"
    else:
        spoken = f"versions {first.valid.low} to {first.valid.high}"
    return f"//! {api.name}{key}: {spoken}, {flexible}.\n"


def _renames(message: Message, seen: dict[str, Shape]) -> dict[str, str]:
    """Request and response may use one name for two structures; the response's then says so."""
    result = {}
    for name, struct in message.structs.items():
        clash = name in seen and seen[name] != _shape(message, struct)
        result[name] = f"Response{name}" if clash else name
    return result


def _shape(message: Message, struct: Struct) -> Shape:
    nested = [_shape(message, message.structs[item.element]) for item in struct.fields if item.is_struct]
    return (struct.within, list(struct.fields), nested)


def _struct(message: Message, struct: Struct, rename: dict[str, str]) -> str:
    flexible = not message.flexible.is_empty
    fields = [RustField(item, struct, flexible, rename) for item in struct.fields]
    plain = [field for field in fields if field.item.tag is None]
    tagged = sorted((field for field in fields if field.item.tag is not None), key=lambda field: field.item.tag or 0)
    name = rename[struct.name]
    custom_default = not all(field.has_plain_default for field in fields)
    derives = "Clone, Debug, PartialEq" + ("" if custom_default else ", Default")
    lines = [_struct_doc(message, struct), f"#[derive({derives})]", f"pub struct {name} {{"]
    for field in fields:
        lines += [f"    /// {field.doc}", f"    pub {field.name}: {field.type},"]
    lines.append("}\n")
    if custom_default:
        lines.append(f"impl Default for {name} {{ fn default() -> Self {{ Self {{")
        lines += [f"{field.name}: {field.default}," for field in fields]
        lines.append("} } }\n")
    lines += [f"impl Element for {name} {{", f"    const MINIMUM_SIZE: usize = {minimum_size(message, struct)};\n"]
    lines += _read(message, plain, tagged)
    lines += _write(message, plain, tagged)
    lines.append("}\n")
    return "\n".join(lines)


def _describe(struct: Struct, rename: dict[str, str]) -> str:
    """Fields in the schema's order, by name, for those who look into requests."""
    fields = ", ".join(f'"{names.snake(item.name)}": {names.field(item.name)}' for item in struct.fields)
    return f"describe!({rename[struct.name]} {{ {fields} }});\n"


def _struct_doc(message: Message, struct: Struct) -> str:
    if struct.name == message.name:
        return f"/// Kafka's `{message.name}`."
    return f"/// `{struct.name}` of `{message.name}`."


def _read(message: Message, plain: list[RustField], tagged: list[RustField]) -> list[str]:
    flexible = not message.flexible.is_empty
    body = []
    for field in plain:
        if field.present:
            body.append(f"{field.name}: if {field.present} {{ {field.read} }} else {{ {field.default} }},")
        else:
            body.append(f"{field.name}: {field.read},")
    body += [f"{field.name}: {field.default}," for field in tagged]
    literal = "Self {" + "\n".join(body) + "}"
    if not flexible:
        tail = [f"Ok({literal})"]
    elif not tagged:
        tail = [f"let value = {literal};", "if flexible { reader.tagged_fields(|_, _| Ok(false))?; }", "Ok(value)"]
    else:
        arms = []
        for field in tagged:
            guard = f" if {field.present}" if field.present and _needs_guard(message, field.item) else ""
            arms.append(f"{field.item.tag}{guard} => value.{field.name} = {field.read},")
        tail = [
            f"let mut value = {literal};",
            "if flexible { reader.tagged_fields(|reader, tag| { match tag {",
            *arms,
            "_ => return Ok(false), } Ok(true) })?; }",
            "Ok(value)",
        ]
    used = " ".join(tail)
    return [_signature("read", used, flexible), *tail, "}\n"]


def _write(message: Message, plain: list[RustField], tagged: list[RustField]) -> list[str]:
    flexible = not message.flexible.is_empty
    body = []
    for field in plain:
        if not field.present:
            body.append(field.write())
            continue
        refusal = (
            "" if field.item.ignorable else f" else if {field.differs_from_default} {{ return Err({_absent(field)}); }}"
        )
        body.append(f"if {field.present} {{ {field.write()} }}{refusal}")
    for field in tagged:
        if field.present and not field.item.ignorable:
            outside = _outside(field)
            body.append(f"if {outside} && {field.differs_from_default} {{ return Err({_absent(field)}); }}")
    if flexible and not tagged:
        body.append("writer.no_tags(flexible);")
    elif tagged:
        adds = []
        for field in tagged:
            guard = f"{field.present} && " if field.present and _needs_guard(message, field.item) else ""
            adds.append(
                f"if {guard}{field.differs_from_default} {{ tags.add({field.item.tag}, |writer| "
                f"{{ {field.write()} Ok(()) }})?; }}"
            )
        body += ["if flexible { writer.tags(|tags| {", *adds, "Ok(()) })?; }"]
    body.append("Ok(())")
    return [_signature("write", " ".join(body), flexible), *body, "}"]


def _needs_guard(message: Message, item: Field) -> bool:
    """Tags are only looked at in flexible versions, so a tag as old as those needs no condition of its own."""
    return item.versions.condition(message.flexible) is not None


def _outside(field: RustField) -> str:
    present, within = field.item.versions, field.struct.within
    if within.high <= present.high:
        return f"version < {present.low}"
    return f"!({field.present})"


def _absent(field: RustField) -> str:
    return f'writer.absent(version, "{field.item.name}")'


def _signature(name: str, body: str, flexible: bool) -> str:
    """Unused parameters keep quiet with an underscore."""
    version = "version" if re.search(r"(?<!\.)\bversion\b", body) else "_"
    flag = "flexible" if flexible else "_"
    if name == "read":
        reader = "reader" if "reader." in body or "(reader" in body else "_"
        return f"fn read({reader}: &mut Reader, {version}: i16, {flag}: bool) -> Result<Self, DecodeError> {{"
    writer = "writer" if "writer" in body else "_"
    return f"fn write(&self, {writer}: &mut Writer, {version}: i16, {flag}: bool) -> Result<(), EncodeError> {{"


def minimum_size(message: Message, struct: Struct) -> int:
    """Fewest bytes in any version, from its smallest fields; what bounds how many elements a frame can hold."""
    spans = range(struct.within.low, struct.within.high + 1)
    return max(1, min(_size_in(message, struct, version) for version in spans))


def _size_in(message: Message, struct: Struct, version: int) -> int:
    here = Versions(version, version)
    flexible = message.flexible.covers(here)
    total = 1 if flexible else 0
    for item in struct.fields:
        if item.tag is not None or not item.versions.covers(here):
            continue
        if item.is_array:
            total += 1 if flexible else 4
        elif item.element in FIXED:
            total += FIXED[item.element][2]
        elif item.is_struct:
            nullable = item.nullable.covers(here)
            total += 1 if nullable else _size_in(message, message.structs[item.element], version)
        elif item.element == "string":
            total += 1 if flexible and item.flexible else 2
        else:
            total += 1 if flexible else 4
    return total


def _message_impl(api: Api, message: Message) -> str:
    flexible = "None" if message.flexible.is_empty else f"Some({message.flexible.low})"
    lines = [
        f"impl Message for {message.name} {{",
        f'    const NAME: &\'static str = "{message.name}";',
        f"    const VERSIONS: VersionRange = VersionRange {{ min: {message.valid.low}, max: {message.valid.high} }};",
        f"    const FLEXIBLE_FROM: Option<i16> = {flexible};\n",
        "    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> { reader.message(version) }\n",
        (
            "    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> "
            "{ writer.message(self, version) }"
        ),
    ]
    if any(item.name == "ThrottleTimeMs" for item in message.root.fields):
        lines.append("\n    fn throttle_time_ms(&self) -> i32 { self.throttle_time_ms }\n")
        lines.append("    fn set_throttle_time_ms(&mut self, time: i32) { self.throttle_time_ms = time }")
    lines.append("}\n")
    if message.kind == "request":
        lines += [
            f"impl Request for {message.name} {{",
            f"    const API_KEY: ApiKey = ApiKey::{api.name};",
            f"    type Response = {api.name}Response;",
            "}\n",
        ]
    return "\n".join(lines)


def module_name(api: Api) -> str:
    return names.snake(api.name)
