//! Turns JSON values into Arrow columns, strictly: 1.7 is not taken for an integer, nor a number for a time.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{
    ArrayRef, BooleanArray, ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use serde_json::Value;

use super::json_scalars::{date, decimal, float, integer, short_float, text, timestamp, truth};

/// A value with the index of its payload; `None` if the value is missing.
pub(super) type Cell<'a> = (usize, Option<&'a Value>);

/// Why values cannot become a column.
#[derive(Debug)]
pub(super) enum Misfit {
    /// A value has another type than the column.
    Payload {
        /// The index of its payload.
        index: usize,
        reason: String,
    },
    Arrow(ArrowError),
}

impl From<ArrowError> for Misfit {
    fn from(problem: ArrowError) -> Self {
        Self::Arrow(problem)
    }
}

/// Checks that JSON has values for a type; the error is the type that it has none for.
pub(super) fn is_known(data_type: &DataType) -> Result<(), DataType> {
    match data_type {
        DataType::Struct(fields) => fields
            .iter()
            .try_for_each(|field| is_known(field.data_type())),
        DataType::List(item) => is_known(item.data_type()),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) if *fields[0].data_type() == DataType::Utf8 => {
                is_known(fields[1].data_type())
            }
            _ => Err(data_type.clone()),
        },
        DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::Float32
        | DataType::Float64
        | DataType::Utf8
        | DataType::Date32
        | DataType::Timestamp(TimeUnit::Microsecond, _)
        | DataType::Decimal128(..) => Ok(()),
        other => Err(other.clone()),
    }
}

/// Builds the column of these values. JSON's `null` is the same as a missing value.
pub(super) fn column(cells: &[Cell<'_>], data_type: &DataType) -> Result<ArrayRef, Misfit> {
    let made: ArrayRef = match data_type {
        DataType::Boolean => Arc::new(BooleanArray::from(each(cells, truth)?)),
        DataType::Int8 => primitive::<Int8Type>(cells, data_type, integer)?,
        DataType::Int16 => primitive::<Int16Type>(cells, data_type, integer)?,
        DataType::Int32 => primitive::<Int32Type>(cells, data_type, integer)?,
        DataType::Int64 => primitive::<Int64Type>(cells, data_type, integer)?,
        DataType::Float32 => primitive::<Float32Type>(cells, data_type, short_float)?,
        DataType::Float64 => primitive::<Float64Type>(cells, data_type, float)?,
        DataType::Utf8 => Arc::new(StringArray::from_iter(each(cells, text)?)),
        DataType::Date32 => primitive::<Date32Type>(cells, data_type, date)?,
        DataType::Timestamp(..) => {
            primitive::<TimestampMicrosecondType>(cells, data_type, timestamp)?
        }
        DataType::Decimal128(precision, scale) => {
            primitive::<Decimal128Type>(cells, data_type, |value| {
                decimal(value, *precision, *scale)
            })?
        }
        DataType::Struct(fields) => Arc::new(structs(cells, fields)?),
        DataType::List(item) => {
            let (mut items, mut lengths) = (Vec::new(), Vec::with_capacity(cells.len()));
            for &(index, value) in cells {
                let found = match value {
                    Some(Value::Array(found)) => found.as_slice(),
                    None | Some(Value::Null) => &[],
                    Some(other) => return Err(misfit(index, other, data_type)),
                };
                items.extend(found.iter().map(|item| (index, Some(item))));
                lengths.push(found.len());
            }
            let values = column(&items, item.data_type())?;
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::try_new(
                Arc::clone(item),
                offsets,
                values,
                nulls(cells),
            )?)
        }
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(unknown(data_type));
            };
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            let mut lengths = Vec::with_capacity(cells.len());
            for &(index, value) in cells {
                let members = match value {
                    Some(Value::Object(members)) => Some(members),
                    None | Some(Value::Null) => None,
                    Some(other) => return Err(misfit(index, other, data_type)),
                };
                keys.extend(
                    members
                        .iter()
                        .flat_map(|members| members.keys().map(String::as_str)),
                );
                values.extend(
                    members
                        .iter()
                        .flat_map(|members| members.values().map(|value| (index, Some(value)))),
                );
                lengths.push(members.map_or(0, serde_json::Map::len));
            }
            let columns: Vec<ArrayRef> = vec![
                Arc::new(StringArray::from(keys)),
                column(&values, fields[1].data_type())?,
            ];
            let structs = StructArray::try_new(fields.clone(), columns, None)?;
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(MapArray::try_new(
                Arc::clone(entries),
                offsets,
                structs,
                nulls(cells),
                *sorted,
            )?)
        }
        _ => return Err(unknown(data_type)),
    };
    Ok(made)
}

fn structs(cells: &[Cell<'_>], fields: &Fields) -> Result<StructArray, Misfit> {
    for &(index, value) in cells {
        if !matches!(value, None | Some(Value::Null | Value::Object(_))) {
            let other = value.unwrap_or(&Value::Null);
            return Err(misfit(index, other, &DataType::Struct(Fields::empty())));
        }
    }
    let mut columns = Vec::with_capacity(fields.len());
    for field in fields {
        let members: Vec<Cell<'_>> = cells
            .iter()
            .map(|&(index, value)| (index, value.and_then(|value| value.get(field.name()))))
            .collect();
        let made = column(&members, field.data_type()).map_err(|problem| match problem {
            Misfit::Payload { index, reason } => Misfit::Payload {
                index,
                reason: format!("{}: {reason}", field.name()),
            },
            other @ Misfit::Arrow(_) => other,
        })?;
        columns.push(made);
    }
    let made = StructArray::try_new_with_length(fields.clone(), columns, nulls(cells), cells.len());
    Ok(made?)
}

fn primitive<T: ArrowPrimitiveType>(
    cells: &[Cell<'_>],
    data_type: &DataType,
    read: impl Fn(&Value) -> Result<T::Native, String>,
) -> Result<ArrayRef, Misfit> {
    let values = each(cells, read)?;
    Ok(Arc::new(
        PrimitiveArray::<T>::from_iter(values).with_data_type(data_type.clone()),
    ))
}

fn each<'a, T>(
    cells: &[Cell<'a>],
    read: impl Fn(&'a Value) -> Result<T, String>,
) -> Result<Vec<Option<T>>, Misfit> {
    let read = |&(index, value): &Cell<'a>| match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match read(value) {
            Ok(read) => Ok(Some(read)),
            Err(reason) => Err(Misfit::Payload { index, reason }),
        },
    };
    cells.iter().map(read).collect()
}

fn nulls(cells: &[Cell<'_>]) -> Option<NullBuffer> {
    let valid = cells
        .iter()
        .map(|(_, value)| !matches!(value, None | Some(Value::Null)));
    Some(NullBuffer::from_iter(valid)).filter(|nulls| nulls.null_count() > 0)
}

fn misfit(index: usize, value: &Value, data_type: &DataType) -> Misfit {
    let expected = match data_type {
        DataType::List(_) => "an array",
        _ => "an object",
    };
    let reason = format!("{value} is not {expected}");
    Misfit::Payload { index, reason }
}

fn unknown(data_type: &DataType) -> Misfit {
    Misfit::Arrow(ArrowError::SchemaError(format!(
        "JSON has no values for {data_type}"
    )))
}
