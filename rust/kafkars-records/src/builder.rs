//! Building a batch: append encoded records to one buffer, then seal it.

use bytes::Bytes;

use crate::{
    RecordsError,
    attributes::Attributes,
    batch_header::{ATTRIBUTES_AT, BatchHeader, CRC_AT, HEADER_SIZE, LOG_OVERHEAD},
    compression::{self, Codec, Compression},
    crc,
    encode::{self, Header},
};

/// An open batch of format v2. Records are encoded into one buffer, which leaves room for the batch header in front and
/// is sent as it is.
#[derive(Debug, Clone)]
pub struct BatchBuilder {
    buffer: Vec<u8>,
    count: u32,
    base_timestamp: i64,
    max_timestamp: i64,
}

impl BatchBuilder {
    /// Makes an empty batch with room for about `capacity_hint` bytes.
    pub fn new(capacity_hint: usize) -> Self {
        let mut buffer = Vec::with_capacity(capacity_hint.max(HEADER_SIZE));
        buffer.resize(HEADER_SIZE, 0);
        Self {
            buffer,
            count: 0,
            base_timestamp: -1,
            max_timestamp: -1,
        }
    }

    /// The most bytes that this record can add; to be compared with the room left before [`BatchBuilder::append`].
    pub fn record_size_bound(
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> usize {
        encode::size_bound(key, value, headers)
    }

    /// The bytes that this record adds if it is appended next.
    pub fn next_record_size(
        &self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> usize {
        let timestamp_delta = match self.count {
            0 => 0,
            _ => timestamp.wrapping_sub(self.base_timestamp),
        };
        encode::record_size(timestamp_delta, i64::from(self.count), key, value, headers)
    }

    /// Appends a record and returns its index in the batch.
    #[inline]
    pub fn append(
        &mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> u32 {
        let index = self.count;
        if index == 0 {
            (self.base_timestamp, self.max_timestamp) = (timestamp, timestamp);
        }
        self.max_timestamp = self.max_timestamp.max(timestamp);
        self.count += 1;

        let timestamp_delta = timestamp.wrapping_sub(self.base_timestamp);
        let offset_delta = i64::from(index);
        encode::push_record(
            &mut self.buffer,
            timestamp_delta,
            offset_delta,
            key,
            value,
            headers,
        );
        index
    }

    /// Bytes of the batch so far, header included, before compression.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Records in the batch.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// True if the batch has no record yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Compresses the records, writes the header and computes the CRC. Without compression the buffer is not copied.
    ///
    /// A batch that compression makes larger is compressed all the same: topics may demand a codec.
    pub fn seal(
        self,
        compression: Compression,
        producer: ProducerFields,
    ) -> Result<SealedBatch, RecordsError> {
        self.seal_with(Attributes::default(), compression, producer)
    }

    /// As [`BatchBuilder::seal`], with attributes other than the codec and the transactional bit.
    pub(crate) fn seal_with(
        self,
        attributes: Attributes,
        compression: Compression,
        producer: ProducerFields,
    ) -> Result<SealedBatch, RecordsError> {
        let Self {
            buffer,
            count,
            base_timestamp,
            max_timestamp,
        } = self;
        let codec = compression.codec();
        let mut bytes = match codec {
            Codec::None => buffer,
            _ => compression::compress(compression, &buffer[HEADER_SIZE..], HEADER_SIZE).map_err(
                |cause| RecordsError::Compress {
                    codec,
                    cause: cause.to_string(),
                },
            )?,
        };
        let too_large = RecordsError::TooLarge {
            bytes: bytes.len(),
            records: count,
        };
        let (Ok(batch_length), Ok(record_count)) = (
            i32::try_from(bytes.len() - LOG_OVERHEAD),
            i32::try_from(count),
        ) else {
            return Err(too_large);
        };
        let mut header = BatchHeader {
            base_offset: 0,
            batch_length,
            partition_leader_epoch: -1,
            magic: 2,
            crc: 0,
            attributes: attributes
                .with_codec(codec)
                .with_transactional(producer.transactional),
            last_offset_delta: (record_count - 1).max(0),
            base_timestamp,
            max_timestamp,
            producer_id: producer.producer_id,
            producer_epoch: producer.producer_epoch,
            base_sequence: producer.base_sequence,
            record_count,
        };
        finish(&mut bytes, &mut header);
        Ok(SealedBatch {
            bytes: bytes.into(),
            record_count: count,
        })
    }
}

/// The producer's fields in the header of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerFields {
    /// Producer id that the broker has assigned, or -1.
    pub producer_id: i64,
    /// Producer epoch, or -1.
    pub producer_epoch: i16,
    /// Sequence number of the first record in its partition, or -1.
    pub base_sequence: i32,
    /// True if the batch is part of a transaction.
    pub transactional: bool,
}

impl Default for ProducerFields {
    /// A producer that is neither idempotent nor transactional.
    fn default() -> Self {
        Self {
            producer_id: -1,
            producer_epoch: -1,
            base_sequence: -1,
            transactional: false,
        }
    }
}

/// A finished batch, ready for a produce request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedBatch {
    /// The bytes of the whole batch.
    pub bytes: Bytes,
    /// How many records are in it.
    pub record_count: u32,
}

impl SealedBatch {
    /// Sets other producer fields, for a retry under a new epoch or sequence number. The records are not compressed
    /// again; the bytes are copied only if a request still holds them.
    pub fn set_sequence(&mut self, producer: ProducerFields) {
        let mut bytes = match std::mem::take(&mut self.bytes).try_into_mut() {
            Ok(bytes) => bytes,
            Err(shared) => shared.as_ref().into(),
        };
        if let Some(mut header) = bytes.first_chunk().map(BatchHeader::parse) {
            header.attributes = header.attributes.with_transactional(producer.transactional);
            header.producer_id = producer.producer_id;
            header.producer_epoch = producer.producer_epoch;
            header.base_sequence = producer.base_sequence;
            finish(&mut bytes, &mut header);
        }
        self.bytes = bytes.freeze();
    }
}

/// Writes the header in front of the records, and computes the CRC.
pub(crate) fn finish(bytes: &mut [u8], header: &mut BatchHeader) {
    if let Some(space) = bytes.first_chunk_mut() {
        header.write(space);
    }
    header.crc = crc::crc32c(bytes.get(ATTRIBUTES_AT..).unwrap_or_default());
    if let Some(space) = bytes.get_mut(CRC_AT..ATTRIBUTES_AT) {
        space.copy_from_slice(&header.crc.to_be_bytes());
    }
}
