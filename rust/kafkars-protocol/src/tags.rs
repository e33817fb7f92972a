//! Writes tagged fields of flexible versions (KIP-482).

use crate::{EncodeError, Writer};

/// Collects the tagged fields of a structure, lowest tag first.
pub(crate) struct Tags {
    count: u32,
    writer: Writer,
}

impl Tags {
    pub(crate) fn add(
        &mut self,
        tag: u32,
        write: impl FnOnce(&mut Writer) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let mut content = self.writer.aside();
        write(&mut content)?;
        self.count += 1;
        self.writer.unsigned_varint(tag);
        // A tagged field is a small part of a frame, whose length is checked as a whole.
        self.writer.unsigned_varint(content.len() as u32);
        self.writer.append(content);
        Ok(())
    }
}

impl Writer {
    /// Writes the tagged fields that `fill` adds. Their sizes come first, so each is written to a buffer of its own.
    pub(crate) fn tags(
        &mut self,
        fill: impl FnOnce(&mut Tags) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let mut tags = Tags {
            count: 0,
            writer: self.aside(),
        };
        fill(&mut tags)?;
        self.unsigned_varint(tags.count);
        self.append(tags.writer);
        Ok(())
    }
}
