//! Messages, arrays and nullable structures: what generated code calls for everything but primitives.

use crate::element::Element;
use crate::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind, Message, Reader, Writer};

impl Reader {
    pub(crate) fn message<M: Message + Element>(&mut self, version: i16) -> Result<M, DecodeError> {
        self.begin(M::NAME);
        if !M::VERSIONS.contains(version) {
            return Err(self.error("", DecodeErrorKind::UnsupportedVersion(version)));
        }
        M::read(self, version, M::is_flexible(version))
    }

    pub(crate) fn array<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        field: &'static str,
    ) -> Result<Vec<T>, DecodeError> {
        let start = self.position();
        self.nullable_array(version, flexible, field)?
            .ok_or_else(|| self.error_at(start, field, DecodeErrorKind::UnexpectedNull))
    }

    pub(crate) fn nullable_array<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<Vec<T>>, DecodeError> {
        let Some(count) = self.array_len(flexible, T::MINIMUM_SIZE, field)? else {
            return Ok(None);
        };
        self.charge(count.saturating_mul(size_of::<T>()), field)?;
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push(T::read(self, version, flexible).map_err(|error| error.within(field))?);
        }
        Ok(Some(elements))
    }

    /// Reads a nullable structure after Kafka's presence byte, which is negative for null.
    pub(crate) fn nullable_struct<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<T>, DecodeError> {
        if self.i8(field)? < 0 {
            return Ok(None);
        }
        T::read(self, version, flexible).map(Some)
    }
}

impl Writer {
    pub(crate) fn message<M: Message + Element>(
        &mut self,
        message: &M,
        version: i16,
    ) -> Result<(), EncodeError> {
        self.begin(M::NAME);
        if !M::VERSIONS.contains(version) {
            return Err(self.error("", EncodeErrorKind::UnsupportedVersion(version)));
        }
        message.write(self, version, M::is_flexible(version))
    }

    pub(crate) fn array<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        field: &'static str,
        values: &[T],
    ) -> Result<(), EncodeError> {
        self.nullable_array(version, flexible, field, Some(values))
    }

    pub(crate) fn nullable_array<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        field: &'static str,
        values: Option<&[T]>,
    ) -> Result<(), EncodeError> {
        self.array_len(flexible, field, values.map(<[T]>::len))?;
        for value in values.unwrap_or_default() {
            value
                .write(self, version, flexible)
                .map_err(|error| error.within(field))?;
        }
        Ok(())
    }

    /// Writes a nullable structure after Kafka's presence byte, which is -1 for null.
    pub(crate) fn nullable_struct<T: Element>(
        &mut self,
        version: i16,
        flexible: bool,
        value: Option<&T>,
    ) -> Result<(), EncodeError> {
        let Some(value) = value else {
            self.i8(-1);
            return Ok(());
        };
        self.i8(1);
        value.write(self, version, flexible)
    }
}

impl DecodeError {
    /// Names the array's field in an error about an element, which has no name of its own.
    fn within(mut self, field: &'static str) -> Self {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}

impl EncodeError {
    /// Names the array's field in an error about an element, which has no name of its own.
    fn within(mut self, field: &'static str) -> Self {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}
