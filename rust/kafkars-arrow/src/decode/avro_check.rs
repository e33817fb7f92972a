//! What the decoder of Avro passes over in silence: a branch that its union does not have, a boolean that is neither 0
//! nor 1, more digits than a decimal may have. Payloads are walked through before they are decoded.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

/// The most digits for which a decimal's are counted: Spark has no more.
const MOST_DIGITS: u32 = 38;

/// The shape of payloads that were written with a schema.
#[derive(Debug)]
pub(super) struct AvroShape(Arc<Shape>);

#[derive(Debug)]
enum Shape {
    Null,
    Boolean,
    /// An int, a long or an enum.
    Number,
    /// Bytes of a length that is the same for all: a fixed, a float, a double.
    Fixed(usize, Option<u32>),
    /// Bytes or text with their length before them; of a decimal the most digits.
    Sized(Option<u32>),
    Items(Arc<Self>),
    Map(Arc<Self>),
    Record(Vec<Arc<Self>>),
    Union(Vec<Arc<Self>>),
}

/// Why a walk ended early.
enum WalkEnd {
    /// This is wrong.
    Wrong(String),
    /// It cannot be walked through: the decoder finds out why.
    Unclear,
}

impl AvroShape {
    /// The shape of a schema; `None` if nothing in it needs to be looked at, or if it is beyond this.
    pub(super) fn new(schema: &str) -> Option<Self> {
        let parsed = serde_json::from_str(schema).ok()?;
        let shape = ShapeReader::default().shape(&parsed, "")?;
        shape.is_of_interest().then_some(Self(shape))
    }

    /// Fails for a payload that the decoder would take for something that it is not.
    pub(super) fn check(&self, payload: &[u8]) -> Result<(), String> {
        match self.0.walk(&mut &*payload) {
            Err(WalkEnd::Wrong(reason)) => Err(reason),
            Ok(()) | Err(WalkEnd::Unclear) => Ok(()),
        }
    }
}

impl Shape {
    fn is_of_interest(&self) -> bool {
        match self {
            Self::Boolean | Self::Union(_) => true,
            Self::Null | Self::Number => false,
            Self::Fixed(_, digits) | Self::Sized(digits) => digits.is_some(),
            Self::Items(item) | Self::Map(item) => item.is_of_interest(),
            Self::Record(fields) => fields.iter().any(|field| field.is_of_interest()),
        }
    }

    fn walk(&self, left: &mut &[u8]) -> Result<(), WalkEnd> {
        match self {
            Self::Null => Ok(()),
            Self::Number => long(left).map(drop),
            Self::Boolean => match take(left, 1)? {
                [0 | 1] => Ok(()),
                other => Err(WalkEnd::Wrong(format!("a boolean is {}", other[0]))),
            },
            Self::Fixed(size, digits) => check_digits(take(left, *size)?, *digits),
            Self::Sized(digits) => {
                let size = usize::try_from(long(left)?).map_err(|_| WalkEnd::Unclear)?;
                check_digits(take(left, size)?, *digits)
            }
            Self::Items(item) => blocks(left, |left| item.walk(left)),
            Self::Map(value) => blocks(left, |left| {
                Self::Sized(None).walk(left)?;
                value.walk(left)
            }),
            Self::Record(fields) => fields.iter().try_for_each(|field| field.walk(left)),
            Self::Union(branches) => {
                let index = long(left)?;
                let branch = usize::try_from(index)
                    .ok()
                    .and_then(|index| branches.get(index));
                let Some(branch) = branch else {
                    let count = branches.len();
                    return Err(WalkEnd::Wrong(format!(
                        "branch {index} of a union that has {count}"
                    )));
                };
                branch.walk(left)
            }
        }
    }
}

/// Walks through the blocks of an array or a map.
fn blocks(
    left: &mut &[u8],
    item: impl Fn(&mut &[u8]) -> Result<(), WalkEnd>,
) -> Result<(), WalkEnd> {
    loop {
        let mut count = long(left)?;
        if count == 0 {
            return Ok(());
        }
        if count < 0 {
            // The size of the block in bytes follows, for readers that skip it.
            long(left)?;
            count = count.checked_neg().ok_or(WalkEnd::Unclear)?;
        }
        for _ in 0..count {
            let before = left.len();
            item(left)?;
            if left.len() == before {
                break; // Items without bytes are all alike.
            }
        }
    }
}

/// Fails if a number, the highest byte first, has more digits than a decimal may have.
fn check_digits(bytes: &[u8], digits: Option<u32>) -> Result<(), WalkEnd> {
    let Some(limit) = digits.and_then(|digits| 10_i128.checked_pow(digits)) else {
        return Ok(());
    };
    let negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let sign = if negative { 0xff } else { 0 };
    let (more, low) = bytes.split_at(bytes.len().saturating_sub(size_of::<i128>()));
    let mut number = [sign; size_of::<i128>()];
    let start = number.len() - low.len();
    number[start..].copy_from_slice(low);
    let number = i128::from_be_bytes(number);
    let is_whole = more.iter().all(|byte| *byte == sign) && (number < 0) == negative;
    if is_whole && number.unsigned_abs() < limit.unsigned_abs() {
        Ok(())
    } else {
        let digits = digits.unwrap_or_default();
        Err(WalkEnd::Wrong(format!(
            "a decimal has more than {digits} digits"
        )))
    }
}

fn take<'a>(left: &mut &'a [u8], size: usize) -> Result<&'a [u8], WalkEnd> {
    let (taken, rest) = left.split_at_checked(size).ok_or(WalkEnd::Unclear)?;
    *left = rest;
    Ok(taken)
}

/// Reads a zigzag varint.
fn long(left: &mut &[u8]) -> Result<i64, WalkEnd> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let [byte] = take(left, 1)? else {
            return Err(WalkEnd::Unclear);
        };
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    Err(WalkEnd::Unclear)
}

/// Reads a schema; `None` for what it does not understand.
#[derive(Default)]
struct ShapeReader {
    /// Named types by their full names.
    named: HashMap<String, Arc<Shape>>,
}

impl ShapeReader {
    fn shape(&mut self, schema: &Value, namespace: &str) -> Option<Arc<Shape>> {
        Some(match schema {
            Value::String(name) => self.of_name(name, namespace)?,
            Value::Array(branches) => {
                let branches = branches.iter().map(|each| self.shape(each, namespace));
                Arc::new(Shape::Union(branches.collect::<Option<_>>()?))
            }
            Value::Object(members) => self.of_object(members, namespace)?,
            _ => return None,
        })
    }

    fn of_name(&self, name: &str, namespace: &str) -> Option<Arc<Shape>> {
        let primitive = match name {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "int" | "long" => Shape::Number,
            "float" => Shape::Fixed(4, None),
            "double" => Shape::Fixed(8, None),
            "bytes" | "string" => Shape::Sized(None),
            _ => {
                let known = self.named.get(&full_name(name, namespace));
                return known.or_else(|| self.named.get(name)).cloned();
            }
        };
        Some(Arc::new(primitive))
    }

    fn of_object(&mut self, members: &Map<String, Value>, namespace: &str) -> Option<Arc<Shape>> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let Some(kind) = text("type") else {
            return self.shape(members.get("type")?, namespace);
        };
        let digits = digits(members);
        let shape = match kind {
            "array" => Shape::Items(self.shape(members.get("items")?, namespace)?),
            "map" => Shape::Map(self.shape(members.get("values")?, namespace)?),
            "bytes" => Shape::Sized(digits),
            "enum" => Shape::Number,
            "fixed" => {
                let size = members.get("size")?.as_u64()?;
                Shape::Fixed(usize::try_from(size).ok()?, digits)
            }
            "record" | "error" => {
                let name = full_name(text("name")?, text("namespace").unwrap_or(namespace));
                let inside = name.rsplit_once('.').map_or("", |(space, _)| space);
                let fields = members.get("fields")?.as_array()?.iter();
                let fields = fields.map(|field| self.shape(field.get("type")?, inside));
                Shape::Record(fields.collect::<Option<_>>()?)
            }
            name => return self.of_name(name, namespace),
        };
        let shape = Arc::new(shape);
        if let ("enum" | "fixed" | "record" | "error", Some(name)) = (kind, text("name")) {
            let name = full_name(name, text("namespace").unwrap_or(namespace));
            self.named.insert(name, Arc::clone(&shape));
        }
        Some(shape)
    }
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}.{name}")
    }
}

/// The most digits of a decimal.
fn digits(members: &Map<String, Value>) -> Option<u32> {
    let is_decimal = members.get("logicalType").and_then(Value::as_str) == Some("decimal");
    let digits = u32::try_from(members.get("precision")?.as_u64()?).ok()?;
    (is_decimal && digits <= MOST_DIGITS).then_some(digits)
}
