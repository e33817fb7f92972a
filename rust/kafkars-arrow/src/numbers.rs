//! Reads columns of integers: timestamps and partitions.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use kafkars_records::mistaken_unit;

use crate::error::Unfit;

/// A column as int64.
#[derive(Debug, Clone)]
pub(crate) struct NumberColumn(Vec<Option<i64>>);

impl NumberColumn {
    pub(crate) const TIMESTAMPS: &str =
        "timestamps of any unit with a time zone, or whole numbers of milliseconds since 1970,";
    pub(crate) const PARTITIONS: &str = "whole numbers";

    /// Reads partitions: integers that fit an int32.
    pub(crate) fn partitions(array: &ArrayRef) -> Result<Self, Unfit> {
        let numbers = Self::whole(array)?;
        for (row, number) in numbers.0.iter().enumerate() {
            if let Some(value) = *number
                && i32::try_from(value).is_err()
            {
                let value = value.into();
                return Err(Unfit::Range { row, value });
            }
        }
        Ok(numbers)
    }

    /// Reads timestamps as ms since 1970. Finer units are rounded down. A column without a time zone holds what clocks
    /// showed somewhere, and names no moments.
    pub(crate) fn milliseconds(array: &ArrayRef) -> Result<Self, Unfit> {
        let DataType::Timestamp(unit, zone) = array.data_type() else {
            return Self::whole(array)?.in_milliseconds();
        };
        if zone.is_none() && array.null_count() < array.len() {
            return Err(Unfit::Zone);
        }
        match unit {
            TimeUnit::Second => {
                collect::<TimestampSecondType>(array, |time| time.checked_mul(1_000))
            }
            TimeUnit::Millisecond => collect::<TimestampMillisecondType>(array, Some),
            TimeUnit::Microsecond => {
                collect::<TimestampMicrosecondType>(array, |time| Some(time.div_euclid(1_000)))
            }
            TimeUnit::Nanosecond => {
                collect::<TimestampNanosecondType>(array, |time| Some(time.div_euclid(1_000_000)))
            }
        }
    }

    /// The same numbers, unless one of them seems to have another unit than ms.
    fn in_milliseconds(self) -> Result<Self, Unfit> {
        for (row, number) in self.0.iter().enumerate() {
            if let Some(value) = *number
                && let Some(unit) = mistaken_unit(value)
            {
                return Err(Unfit::Unit { row, value, unit });
            }
        }
        Ok(self)
    }

    fn whole(array: &ArrayRef) -> Result<Self, Unfit> {
        match array.data_type() {
            DataType::Int8 => collect::<Int8Type>(array, |number| Some(number.into())),
            DataType::Int16 => collect::<Int16Type>(array, |number| Some(number.into())),
            DataType::Int32 => collect::<Int32Type>(array, |number| Some(number.into())),
            DataType::Int64 => collect::<Int64Type>(array, Some),
            DataType::UInt8 => collect::<UInt8Type>(array, |number| Some(number.into())),
            DataType::UInt16 => collect::<UInt16Type>(array, |number| Some(number.into())),
            DataType::UInt32 => collect::<UInt32Type>(array, |number| Some(number.into())),
            DataType::UInt64 => collect::<UInt64Type>(array, |number| i64::try_from(number).ok()),
            DataType::Null => Ok(Self(vec![None; array.len()])),
            _ => Err(Unfit::Type),
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).copied().flatten()
    }
}

/// Converts the numbers of a column, if each can be converted.
fn collect<T>(
    array: &ArrayRef,
    convert: impl Fn(T::Native) -> Option<i64>,
) -> Result<NumberColumn, Unfit>
where
    T: ArrowPrimitiveType,
    T::Native: Into<i128>,
{
    let rows = array.as_primitive::<T>().iter().enumerate();
    let numbers = rows.map(|(row, number)| {
        let Some(number) = number else {
            return Ok(None);
        };
        let value = number.into();
        let converted = convert(number).ok_or(Unfit::Range { row, value });
        converted.map(Some)
    });
    numbers.collect::<Result<_, _>>().map(NumberColumn)
}
