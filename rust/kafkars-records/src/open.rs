//! Opening: from the bytes of a batch to its checked records.

use bytes::Bytes;

use crate::{
    RecordsError,
    batch::{Batch, RawBatch},
    batch_header::{ATTRIBUTES_AT, BatchHeader, HEADER_SIZE},
    check::{ReadLimits, check_records},
    compression::{self, Codec},
    crc, legacy,
};

impl RawBatch {
    /// Compares the CRC of the header with that of the bytes.
    pub fn verify_crc(&self) -> Result<(), RecordsError> {
        let found = match self.header.magic {
            2 => crc::crc32c(self.bytes().get(ATTRIBUTES_AT..).unwrap_or_default()),
            _ => legacy::message_crc(self.bytes()),
        };
        let BatchHeader {
            base_offset,
            crc: expected,
            ..
        } = self.header;
        if found == expected {
            Ok(())
        } else {
            Err(RecordsError::BadCrc {
                base_offset,
                expected,
                found,
            })
        }
    }

    /// Checks the CRC, decompresses within `limits` and reads every record once, so that later iterations cannot fail.
    pub fn open(&self, limits: &ReadLimits) -> Result<Batch, RecordsError> {
        self.verify_crc()?;
        match self.header.magic {
            2 => open(self, limits),
            _ => legacy::open(self, limits),
        }
    }
}

/// Decompresses and checks every record of a batch whose CRC is right.
fn open(raw: &RawBatch, limits: &ReadLimits) -> Result<Batch, RecordsError> {
    let header = raw.header;
    header.checked_next_offset()?;
    let records = raw.bytes().slice(HEADER_SIZE..);
    let codec = header.codec()?;
    // A few bytes must not keep a whole response alive.
    let shares_input = codec == Codec::None && records.len() > COPIED;
    let data = match codec {
        Codec::None if shares_input => records,
        Codec::None => Bytes::copy_from_slice(&records),
        // Compaction may leave a batch without records: then there is nothing to decompress.
        _ if records.is_empty() => Bytes::new(),
        codec => compression::decompress(codec, &records, limits.bytes())
            .map(compression::trimmed)
            .map_err(|failure| failure.of_batch(header.base_offset, codec))?
            .into(),
    };
    let marks = check_records(&header, &data)?;
    let batch = Batch::new(header, data, marks);
    Ok(if shares_input {
        batch.sharing_input()
    } else {
        batch
    })
}

/// Uncompressed records of at most this many bytes are copied out of the response.
const COPIED: usize = 1 << 10;
