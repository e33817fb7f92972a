//! Elements of arrays: primitives and structures.

use crate::{DecodeError, EncodeError, Reader, Uuid, Writer};

/// An element of an array. Structures are generated; errors about primitives get the array's field name.
pub(crate) trait Element: Sized {
    /// The fewest bytes of an element on the wire in any version, which bounds how many a frame can hold.
    const MINIMUM_SIZE: usize;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError>;

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError>;
}

macro_rules! fixed_width {
    ($($name:ident: $type:ty),*) => {$(
        impl Element for $type {
            const MINIMUM_SIZE: usize = size_of::<Self>();

            fn read(reader: &mut Reader, _: i16, _: bool) -> Result<Self, DecodeError> {
                reader.$name("")
            }

            fn write(&self, writer: &mut Writer, _: i16, _: bool) -> Result<(), EncodeError> {
                writer.$name(*self);
                Ok(())
            }
        }
    )*};
}

fixed_width!(i8: i8, i16: i16, i32: i32, i64: i64, uuid: Uuid);

impl Element for String {
    const MINIMUM_SIZE: usize = 1;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        reader.string(flexible, "")
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "", self)
    }
}
