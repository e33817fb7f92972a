//! Arrow data that other libraries hand over through the C data interface, checked before it is read.
//!
//! The interface has no sizes of buffers: they follow from lengths and offsets, which a faulty library may have got
//! wrong. So every number is compared with the others that concern the same thing, a child is read no further than its
//! parent needs it, and every array is validated in full. Columns that were not asked for are not touched. A number
//! cannot be checked that agrees with all others and is larger than the memory behind it.

mod array;
mod layout;
mod schema;
mod stream;

pub(super) use self::array::{batch, empty};
pub(super) use self::schema::schema;
pub(super) use self::stream::ImportedStream;
