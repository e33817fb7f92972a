//! Writes messages from the schemas, without the code under test.

use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};

use crate::entropy::Entropy;
use crate::schema::{FieldSchema, FieldType, MessageSchema};

/// The most elements of an array, so that nested ones stay small.
const MOST_ELEMENTS: usize = 3;
/// The longest string. Short, so that no message comes near the decoder's memory allowance.
const LONGEST_TEXT: usize = 24;

/// An encoded message, and the positions of its lengths.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The message without header.
    pub bytes: Bytes,
    /// Every length and count in it.
    pub lengths: Vec<LengthField>,
}

/// A length or count within a message.
#[derive(Clone, Debug)]
pub struct LengthField {
    /// The range of bytes that it takes.
    pub at: Range<usize>,
    /// Its encoding.
    pub form: LengthForm,
}

/// Kafka's encodings of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthForm {
    /// An int16; -1 for null.
    Int16,
    /// An int32; -1 for null.
    Int32,
    /// An unsigned varint of the length plus one; 0 for null.
    Compact,
    /// An unsigned varint: the count, tag or size of tagged fields.
    Varint,
    /// One byte before a structure that may be null.
    Presence,
}

impl Sample {
    /// Generates a random message of `schema` in `version`. No tagged field has its default value, because a writer
    /// leaves those out.
    #[must_use]
    pub fn new(schema: &MessageSchema, version: i16, entropy: &mut Entropy) -> Self {
        let mut draft = Draft {
            bytes: BytesMut::new(),
            lengths: Vec::new(),
            version,
            flexible: schema.is_flexible(version),
            entropy,
        };
        draft.structure(&schema.fields, Choice::Any);
        Self {
            bytes: draft.bytes.freeze(),
            lengths: draft.lengths,
        }
    }
}

/// The values that may be chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Any,
    /// No value that could be a default: no null, nothing empty, only true, only small positive numbers.
    NoDefault,
}

struct Draft<'a> {
    bytes: BytesMut,
    lengths: Vec<LengthField>,
    version: i16,
    flexible: bool,
    entropy: &'a mut Entropy,
}

impl Draft<'_> {
    fn structure(&mut self, fields: &[FieldSchema], choice: Choice) {
        let here: Vec<&FieldSchema> = fields
            .iter()
            .filter(|field| field.versions.contains(self.version))
            .collect();
        for field in here.iter().filter(|field| field.tag.is_none()) {
            self.field(field, choice);
        }
        if self.flexible {
            self.tagged(
                here.into_iter()
                    .filter(|field| field.tag.is_some())
                    .collect(),
            );
        }
    }

    fn tagged(&mut self, mut fields: Vec<&FieldSchema>) {
        fields.retain(|_| self.entropy.one_in(2));
        fields.sort_by_key(|field| field.tag);
        self.length(LengthForm::Varint, fields.len());
        for field in fields {
            self.length(LengthForm::Varint, field.tag.unwrap_or_default() as usize);
            let outer = std::mem::take(&mut self.bytes);
            let before = self.lengths.len();
            self.field(field, Choice::NoDefault);
            let content = std::mem::replace(&mut self.bytes, outer);
            let inner = self.lengths.split_off(before);
            self.length(LengthForm::Varint, content.len());
            let shift = self.bytes.len();
            self.lengths
                .extend(inner.into_iter().map(|length| LengthField {
                    at: length.at.start + shift..length.at.end + shift,
                    form: length.form,
                }));
            self.bytes.put_slice(&content);
        }
    }

    fn field(&mut self, field: &FieldSchema, choice: Choice) {
        let nullable = field
            .nullable
            .is_some_and(|range| range.contains(self.version));
        let null = nullable && choice == Choice::Any && self.entropy.one_in(4);
        let fewest = usize::from(choice == Choice::NoDefault);
        if field.is_array {
            let form = self.form(LengthForm::Int32);
            if null {
                return self.null(form);
            }
            let count = self.entropy.below(MOST_ELEMENTS).max(fewest);
            self.length(form, count);
            for _ in 0..count {
                self.value(field, choice);
            }
            return;
        }
        match field.kind {
            FieldType::String | FieldType::Bytes | FieldType::Records => {
                let classic = if field.kind == FieldType::String {
                    LengthForm::Int16
                } else {
                    LengthForm::Int32
                };
                let form = self.form(classic);
                if null {
                    return self.null(form);
                }
                self.text(form, fewest);
            }
            FieldType::Struct if nullable => {
                let at = self.bytes.len();
                self.bytes.put_i8(if null { -1 } else { 1 });
                self.lengths.push(LengthField {
                    at: at..at + 1,
                    form: LengthForm::Presence,
                });
                if !null {
                    self.structure(&field.fields, choice);
                }
            }
            _ => self.value(field, choice),
        }
    }

    fn value(&mut self, field: &FieldSchema, choice: Choice) {
        let bits = match choice {
            Choice::Any => self.interesting_bits(),
            Choice::NoDefault => 1 + self.entropy.bits() % 100,
        };
        match field.kind {
            FieldType::Bool => self.bytes.put_u8(if choice == Choice::Any {
                (bits & 1) as u8
            } else {
                1
            }),
            FieldType::Int8 => self.bytes.put_u8(bits as u8),
            FieldType::Int16 | FieldType::Uint16 => self.bytes.put_u16(bits as u16),
            FieldType::Int32 => self.bytes.put_u32(bits as u32),
            FieldType::Int64 => self.bytes.put_u64(bits),
            FieldType::Float64 => self.bytes.put_f64(bits as f64),
            FieldType::Uuid => {
                self.bytes.put_u64(bits);
                self.bytes.put_u64(bits.rotate_left(17));
            }
            FieldType::String => self.text(self.form(LengthForm::Int16), 0),
            FieldType::Bytes | FieldType::Records => self.text(self.form(LengthForm::Int32), 0),
            FieldType::Struct => self.structure(&field.fields, choice),
        }
    }

    /// Numbers with which codecs go wrong: small, negative and extreme ones.
    fn interesting_bits(&mut self) -> u64 {
        let bits = self.entropy.bits();
        match bits % 8 {
            0 => 0,
            1 => u64::MAX,
            2 => i64::MIN as u64,
            3 => i64::MAX as u64,
            4 | 5 => bits >> 56,
            _ => bits,
        }
    }

    /// The text is valid as a string, as bytes and as records; some of it is not ASCII.
    fn text(&mut self, form: LengthForm, fewest: usize) {
        let letters = self.entropy.below(LONGEST_TEXT).max(fewest);
        let text: String = (0..letters)
            .map(|_| match self.entropy.below(32) {
                31 => 'é',
                30 => '😀',
                letter => char::from(b'a' + (letter % 26) as u8),
            })
            .collect();
        self.length(form, text.len());
        self.bytes.put_slice(text.as_bytes());
    }

    fn form(&self, classic: LengthForm) -> LengthForm {
        if self.flexible {
            LengthForm::Compact
        } else {
            classic
        }
    }

    fn null(&mut self, form: LengthForm) {
        self.push(
            form,
            match form {
                LengthForm::Compact => 0,
                _ => -1,
            },
        );
    }

    fn length(&mut self, form: LengthForm, length: usize) {
        let length = length as i64;
        self.push(
            form,
            if form == LengthForm::Compact {
                length + 1
            } else {
                length
            },
        );
    }

    fn push(&mut self, form: LengthForm, value: i64) {
        let start = self.bytes.len();
        match form {
            LengthForm::Presence => self.bytes.put_i8(value as i8),
            LengthForm::Int16 => self.bytes.put_i16(value as i16),
            LengthForm::Int32 => self.bytes.put_i32(value as i32),
            LengthForm::Compact | LengthForm::Varint => {
                self.bytes.put_slice(&varint(value as u64));
            }
        }
        self.lengths.push(LengthField {
            at: start..self.bytes.len(),
            form,
        });
    }
}

/// Encodes an unsigned varint.
#[must_use]
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
