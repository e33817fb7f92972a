//! Kafka's message schemas as data, independent of the generated code, so that tests can compare the two.

use std::sync::LazyLock;

use kafkars_protocol::VersionRange;

const TABLE: &str = include_str!("schemas.txt");

/// The schema of a message.
#[derive(Clone, Debug)]
pub struct MessageSchema {
    /// The name of the message in Kafka's schemas.
    pub name: &'static str,
    /// Its API key; structures of the consumer protocol have none.
    pub api_key: Option<i16>,
    /// The versions that exist.
    pub versions: VersionRange,
    /// The versions with compact lengths and tagged fields.
    pub flexible: Option<VersionRange>,
    /// Its fields, in order.
    pub fields: Vec<FieldSchema>,
}

/// The schema of a field.
#[derive(Clone, Debug)]
pub struct FieldSchema {
    /// The name of the field in Kafka's schemas.
    pub name: &'static str,
    /// Its type, or that of its elements.
    pub kind: FieldType,
    /// True if it is an array.
    pub is_array: bool,
    /// The versions that have it.
    pub versions: VersionRange,
    /// The versions in which it may be null.
    pub nullable: Option<VersionRange>,
    /// Its tag, if it is a tagged field.
    pub tag: Option<u32>,
    /// The fields of a structure.
    pub fields: Vec<Self>,
}

/// The types of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Kafka's")]
pub enum FieldType {
    Bool,
    Int8,
    Int16,
    Uint16,
    Int32,
    Int64,
    Float64,
    Uuid,
    String,
    Bytes,
    Records,
    Struct,
}

impl MessageSchema {
    /// Every message, by API key, requests before responses.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<MessageSchema>> = LazyLock::new(|| parse(TABLE));
        &ALL
    }

    /// The message with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|schema| schema.name == name)
    }

    /// True if `version` has compact lengths and tagged fields.
    #[must_use]
    pub fn is_flexible(&self, version: i16) -> bool {
        self.flexible.is_some_and(|range| range.contains(version))
    }
}

fn parse(table: &'static str) -> Vec<MessageSchema> {
    let mut messages = Vec::new();
    let mut lines = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .peekable();
    while let Some(line) = lines.next() {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        messages.push(MessageSchema {
            name: words[1],
            api_key: words[2].parse().ok(),
            versions: range(words[3]).expect("a message has versions"),
            flexible: range(words[4]),
            fields: fields(&mut lines, 1),
        });
    }
    messages
}

fn fields<I: Iterator<Item = &'static str>>(
    lines: &mut std::iter::Peekable<I>,
    depth: usize,
) -> Vec<FieldSchema> {
    let mut result = Vec::new();
    while let Some(line) = lines.next_if(|line| indentation(line) == depth) {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        result.push(FieldSchema {
            name: words[0],
            kind: kind(words[1].trim_start_matches("[]")),
            is_array: words[1].starts_with("[]"),
            versions: range(words[2]).expect("a field has versions"),
            nullable: range(words[3]),
            tag: words[4].parse().ok(),
            fields: fields(lines, depth + 1),
        });
    }
    result
}

fn indentation(line: &str) -> usize {
    (line.len() - line.trim_start().len()) / 2
}

fn range(text: &str) -> Option<VersionRange> {
    let (min, max) = text.split_once('-')?;
    Some(VersionRange {
        min: min.parse().ok()?,
        max: max.parse().ok()?,
    })
}

fn kind(text: &str) -> FieldType {
    match text {
        "bool" => FieldType::Bool,
        "int8" => FieldType::Int8,
        "int16" => FieldType::Int16,
        "uint16" => FieldType::Uint16,
        "int32" => FieldType::Int32,
        "int64" => FieldType::Int64,
        "float64" => FieldType::Float64,
        "uuid" => FieldType::Uuid,
        "string" => FieldType::String,
        "bytes" => FieldType::Bytes,
        "records" => FieldType::Records,
        "struct" => FieldType::Struct,
        other => panic!("schemas.txt has an unknown type {other}"),
    }
}
