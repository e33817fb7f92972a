//! Columns of whole numbers: timestamps and partitions.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

/// One column as 64-bit numbers.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(Vec<Option<i64>>);

impl Numbers {
    pub(crate) const TIMESTAMPS: &str =
        "timestamps of any unit, or whole numbers of milliseconds since 1970,";
    pub(crate) const PARTITIONS: &str = "whole numbers";

    /// Partitions, where the type fits.
    pub(crate) fn whole(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => collect::<Int8Type>(array, i64::from),
            DataType::Int16 => collect::<Int16Type>(array, i64::from),
            DataType::Int32 => collect::<Int32Type>(array, i64::from),
            DataType::Int64 => collect::<Int64Type>(array, |number| number),
            DataType::UInt8 => collect::<UInt8Type>(array, i64::from),
            DataType::UInt16 => collect::<UInt16Type>(array, i64::from),
            DataType::UInt32 => collect::<UInt32Type>(array, i64::from),
            DataType::UInt64 => {
                collect::<UInt64Type>(array, |number| i64::try_from(number).unwrap_or(i64::MAX))
            }
            DataType::Null => Self(vec![None; array.len()]),
            _ => return None,
        })
    }

    /// Milliseconds since 1970, where the type fits. Finer units are cut off towards the past.
    pub(crate) fn milliseconds(array: &ArrayRef) -> Option<Self> {
        let DataType::Timestamp(unit, _) = array.data_type() else {
            return Self::whole(array);
        };
        Some(match unit {
            TimeUnit::Second => {
                collect::<TimestampSecondType>(array, |time| time.saturating_mul(1_000))
            }
            TimeUnit::Millisecond => collect::<TimestampMillisecondType>(array, |time| time),
            TimeUnit::Microsecond => {
                collect::<TimestampMicrosecondType>(array, |time| time.div_euclid(1_000))
            }
            TimeUnit::Nanosecond => {
                collect::<TimestampNanosecondType>(array, |time| time.div_euclid(1_000_000))
            }
        })
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).copied().flatten()
    }
}

fn collect<T: ArrowPrimitiveType>(array: &ArrayRef, convert: impl Fn(T::Native) -> i64) -> Numbers {
    let numbers = array.as_primitive::<T>().iter();
    Numbers(numbers.map(|number| number.map(&convert)).collect())
}
