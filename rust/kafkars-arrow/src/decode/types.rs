//! Removes from types what differs between decoders of the same result: metadata and nullability. Nanoseconds become
//! microseconds, the finest that Spark and Kafka's own tools have.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, TimeUnit};

/// The type with every field nullable and without metadata, times in microseconds. Entries and keys of maps stay as
/// Arrow demands.
pub(super) fn plain(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::List(item) => DataType::List(plain_field(item)),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return data_type.clone();
            };
            let fields = fields.iter().map(|field| {
                let field = plain_field(field);
                Arc::new(
                    field
                        .as_ref()
                        .clone()
                        .with_nullable(*field.name() != *fields[0].name()),
                )
            });
            let entries_type = DataType::Struct(fields.collect::<Fields>());
            DataType::Map(
                Arc::new(Field::new(entries.name(), entries_type, false)),
                *sorted,
            )
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
            DataType::Timestamp(TimeUnit::Microsecond, zone.clone())
        }
        other => other.clone(),
    }
}

fn plain_field(field: &FieldRef) -> FieldRef {
    Arc::new(Field::new(field.name(), plain(field.data_type()), true))
}

/// The same values with the type that [`plain`] makes of theirs.
pub(super) fn retyped(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if array.data_type() == data_type {
        return Ok(Arc::clone(array));
    }
    Ok(match data_type {
        DataType::Struct(fields) => {
            let array = array.as_struct();
            Arc::new(struct_of(array, fields)?)
        }
        DataType::List(item) => {
            let array = array.as_list::<i32>();
            let values = retyped(array.values(), item.data_type())?;
            let (item, offsets) = (Arc::clone(item), array.offsets().clone());
            Arc::new(ListArray::try_new(
                item,
                offsets,
                values,
                array.nulls().cloned(),
            )?)
        }
        DataType::Map(field, sorted) => {
            let array = array.as_map();
            let DataType::Struct(fields) = field.data_type() else {
                return Ok(Arc::new(array.clone()));
            };
            let entries = struct_of(array.entries(), fields)?;
            let (field, offsets) = (Arc::clone(field), array.offsets().clone());
            Arc::new(MapArray::try_new(
                field,
                offsets,
                entries,
                array.nulls().cloned(),
                *sorted,
            )?)
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let Some(array) = array.as_primitive_opt::<TimestampNanosecondType>() else {
                return Ok(Arc::clone(array));
            };
            let cut = array.unary::<_, TimestampMicrosecondType>(|value| value.div_euclid(1_000));
            Arc::new(cut.with_timezone_opt(zone.clone()))
        }
        _ => Arc::clone(array),
    })
}

fn struct_of(array: &StructArray, fields: &Fields) -> Result<StructArray, ArrowError> {
    let columns = array.columns().iter().zip(fields);
    let columns = columns.map(|(column, field)| retyped(column, field.data_type()));
    StructArray::try_new_with_length(
        fields.clone(),
        columns.collect::<Result<_, _>>()?,
        array.nulls().cloned(),
        array.len(),
    )
}
