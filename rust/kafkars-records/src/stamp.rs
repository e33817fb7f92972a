//! What a broker writes into a batch it takes: where it stands in the log, and when it came.

use bytes::BytesMut;

use crate::{
    RecordsError,
    batch::{BatchHeader, HEADER_SIZE, RawBatch},
    builder,
};

impl RawBatch {
    /// The batch at `base_offset`, appended under `partition_leader_epoch`. Both lie outside the CRC, so the records are
    /// not touched. The bytes are changed in place when nobody else holds them, else copied.
    ///
    /// Only for magic 2: a message set has offsets within, so a broker opens it and builds a batch.
    pub fn with_position(
        self,
        base_offset: i64,
        partition_leader_epoch: i32,
    ) -> Result<Self, RecordsError> {
        self.stamped(|bytes, header| {
            (header.base_offset, header.partition_leader_epoch) =
                (base_offset, partition_leader_epoch);
            if let Some(space) = bytes.first_chunk_mut::<HEADER_SIZE>() {
                header.write(space);
            }
        })
    }

    /// The batch with log-append time: all its records now have `timestamp`. Computes the CRC anew. Only for magic 2.
    pub fn with_log_append_time(self, timestamp: i64) -> Result<Self, RecordsError> {
        self.stamped(|bytes, header| {
            header.attributes = header.attributes.with_log_append_time();
            header.max_timestamp = timestamp;
            builder::finish(bytes, header);
        })
    }

    fn stamped(
        self,
        stamp: impl FnOnce(&mut BytesMut, &mut BatchHeader),
    ) -> Result<Self, RecordsError> {
        let BatchHeader {
            base_offset, magic, ..
        } = self.header;
        if magic != 2 {
            return Err(RecordsError::BadMagic { base_offset, magic });
        }
        let (mut header, bytes) = self.into_parts();
        let mut bytes = bytes
            .try_into_mut()
            .unwrap_or_else(|shared| shared.as_ref().into());
        stamp(&mut bytes, &mut header);
        Ok(Self::new(header, bytes.freeze()))
    }
}
