//! What other libraries hand over through Arrow's C data interface, checked before it is read.
//!
//! The interface tells no sizes of buffers: they follow from lengths and offsets, which a faulty library may have got
//! wrong. So every number is compared with the others that speak of the same thing, a child is read as far as its
//! parent needs it and no further, and every array is validated in full. Columns that nobody asked for are not touched.
//! What cannot be seen is a number that agrees with all others and is larger than the memory behind it.

mod array;
mod layout;
mod schema;
mod stream;

pub(super) use self::array::{batch, empty};
pub(super) use self::schema::schema;
pub(super) use self::stream::ImportedStream;
