//! Changes that a broker makes to a batch it appends: its position in the log, log-append time, the topic's codec.

use bytes::BytesMut;

use crate::{
    RecordsError,
    batch::{Batch, RawBatch},
    batch_header::{BatchHeader, HEADER_SIZE, LOG_OVERHEAD},
    builder,
    compression::{self, Codec, Compression},
};

impl RawBatch {
    /// Returns the batch at `base_offset`, appended under `partition_leader_epoch`. The CRC covers neither, so the
    /// records are not touched. The bytes are changed in place if nobody else holds them, and copied otherwise.
    ///
    /// Only for magic 2: a message set has more offsets inside, so a broker opens it and builds a batch instead.
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

    /// Returns the batch with log-append time and a new CRC: all its records have `timestamp` then. Only for magic 2.
    pub fn with_log_append_time(self, timestamp: i64) -> Result<Self, RecordsError> {
        self.stamped(|bytes, header| {
            header.attributes = header.attributes.with_log_append_time();
            header.max_timestamp = timestamp;
            builder::finish(bytes, header);
        })
    }

    /// Returns the batch with its records compressed by another codec, and a new CRC. `batch` is this one, opened.
    /// Offsets, timestamps and producer fields stay. Only for magic 2.
    pub fn with_compression(
        self,
        batch: &Batch,
        compression: Compression,
    ) -> Result<Self, RecordsError> {
        let BatchHeader {
            base_offset, magic, ..
        } = self.header;
        if magic != 2 {
            return Err(RecordsError::BadMagic { base_offset, magic });
        }
        let (mut header, _) = self.into_parts();
        let codec = compression.codec();
        let mut bytes =
            match codec {
                Codec::None => [&[0; HEADER_SIZE][..], batch.data()].concat(),
                _ => compression::compress(compression, batch.data(), HEADER_SIZE).map_err(
                    |cause| RecordsError::Compress {
                        codec,
                        cause: cause.to_string(),
                    },
                )?,
            };
        header.batch_length =
            i32::try_from(bytes.len() - LOG_OVERHEAD).map_err(|_| RecordsError::TooLarge {
                bytes: bytes.len(),
                records: header.record_count.unsigned_abs(),
            })?;
        header.attributes = header.attributes.with_codec(codec);
        builder::finish(&mut bytes, &mut header);
        Ok(Self::new(header, bytes.into()))
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
