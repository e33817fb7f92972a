"""The files that speak of all APIs at once."""

from __future__ import annotations

from rust_messages import HEADER, module_name
from schema import Api, Field, Message

API_KEY_METHODS = """
impl ApiKey {
    /// Every API, lowest key first.
    pub const ALL: &[Self] = &[%(all)s];

    /// The number on the wire.
    #[must_use]
    pub const fn as_i16(self) -> i16 {
        self as i16
    }

    /// Kafka's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The versions that can be read and written here.
    #[must_use]
    pub const fn versions(self) -> VersionRange {
        let (_, min, max, _) = self.row();
        VersionRange { min, max }
    }

    /// True if requests of `version` have compact lengths and tagged fields; true also for versions newer than ours.
    #[must_use]
    pub const fn is_flexible(self, version: i16) -> bool {
        match self.row().3 {
            Some(first) => version >= first,
            None => false,
        }
    }

    /// True if answers in `version` have tagged fields in their header. Those to ApiVersions never have, because the
    /// client cannot know yet what the broker speaks.
    #[must_use]
    pub const fn has_flexible_response_header(self, version: i16) -> bool {
        self.is_flexible(version) && !matches!(self, Self::ApiVersions)
    }

    /// Name, lowest version, highest version, first flexible version.
    const fn row(self) -> (&'static str, i16, i16, Option<i16>) {
        match self {
            %(rows)s
        }
    }
}

impl TryFrom<i16> for ApiKey {
    type Error = UnknownApiKey;

    fn try_from(number: i16) -> Result<Self, UnknownApiKey> {
        Ok(match number {
            %(numbers)s
            _ => return Err(UnknownApiKey(number)),
        })
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A key of no API that is spoken here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownApiKey(pub i16);

impl fmt::Display for UnknownApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unknown API key {}", self.0)
    }
}

impl std::error::Error for UnknownApiKey {}
"""


def api_key_file(apis: list[Api], kafka: str) -> str:
    keyed = [api for api in apis if api.key is not None]
    variants, rows, numbers = [], [], []
    for api in keyed:
        request = api.messages[0]
        flexible = "None" if request.flexible.is_empty else f"Some({request.flexible.low})"
        span = (
            f"{request.valid.low} to {request.valid.high}"
            if request.valid.low != request.valid.high
            else f"{request.valid.low}"
        )
        variants.append(f"    /// Versions {span}.\n    {api.name} = {api.key},")
        rows.append(f'Self::{api.name} => ("{api.name}", {request.valid.low}, {request.valid.high}, {flexible}),')
        numbers.append(f"{api.key} => Self::{api.name},")
    methods = API_KEY_METHODS % {
        "all": ", ".join(f"Self::{api.name}" for api in keyed),
        "rows": "\n".join(rows),
        "numbers": "\n".join(numbers),
    }
    return (
        HEADER.format(kafka=kafka)
        + "//! Every API that brokers answer to clients, and the versions spoken here.\n\nuse std::fmt;\n\nuse crate::VersionRange;\n\n"
        + "/// Which request a frame holds.\n"
        + "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr(i16)]\npub enum ApiKey {\n"
        + "\n".join(variants)
        + "\n}\n"
        + methods
    )


def modules_file(apis: list[Api], kafka: str) -> str:
    lines = [
        HEADER.format(kafka=kafka) + "//! Kafka's messages: one module per API, request and response together.\n",
        *(f"pub mod {module_name(api)};" for api in sorted(apis, key=module_name)),
        "\n/// Calls `$each!(module, Message)` for every message, requests before responses, for tests that go over all.",
        "#[doc(hidden)]\n#[macro_export]\nmacro_rules! for_each_message {\n    ($each:ident) => {",
    ]
    for api in apis:
        lines += [f"        $each!({module_name(api)}, {message.name});" for message in api.messages]
    return "\n".join([*lines, "    };\n}\n"])


def schema_table(apis: list[Api], kafka: str) -> str:
    """The facts that tests need to write messages without the generated code: an independent second reading."""
    lines = [
        f"# Written by kafkars-protocol/generator from the message schemas of Apache Kafka {kafka}. Do not edit.",
        "# message NAME key versions flexible-versions",
        "# NAME type versions nullable-versions tag default; nested fields are indented",
    ]
    for api in apis:
        for message in api.messages:
            key = "-" if api.key is None else str(api.key)
            lines.append(f"message {message.name} {key} {message.valid} {message.flexible}")
            lines += _rows(message, message.root.fields, 1)
    return "\n".join(lines) + "\n"


def _rows(message: Message, fields: list[Field], depth: int) -> list[str]:
    lines = []
    for item in fields:
        kind = ("[]" if item.is_array else "") + ("struct" if item.is_struct else item.element)
        tag = "-" if item.tag is None else str(item.tag)
        default = "-" if item.default in (None, "") else str(item.default).lower()
        lines.append(f"{'  ' * depth}{item.name} {kind} {item.versions} {item.nullable} {tag} {default}")
        if item.is_struct:
            lines += _rows(message, message.structs[item.element].fields, depth + 1)
    return lines
