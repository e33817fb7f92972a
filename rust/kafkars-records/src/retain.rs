//! Rewriting of batches by compaction.

use crate::{
    RecordsError,
    attributes::TimestampType,
    batch::{Batch, RawBatch},
    batch_header::{BatchHeader, HEADER_SIZE, LOG_OVERHEAD},
    builder,
    compression::{self, Codec, Compression},
    encode,
    record::RecordView,
};

impl RawBatch {
    /// Returns the batch with the `kept` records only. `batch` is this one, opened. Records keep their offsets, and the
    /// batch keeps its own offsets and producer fields: its range still covers the removed records. Only for magic 2.
    ///
    /// `delete_horizon` is the time from which its tombstones and markers may be removed (KIP-534), if it has none yet.
    pub fn retaining(
        &self,
        batch: &Batch,
        kept: &[RecordView],
        delete_horizon: Option<i64>,
    ) -> Result<Self, RecordsError> {
        let mut header = self.header;
        let BatchHeader {
            base_offset, magic, ..
        } = header;
        if magic != 2 {
            return Err(RecordsError::BadMagic { base_offset, magic });
        }
        if let Some(horizon) = delete_horizon {
            header.attributes = header.attributes.with_delete_horizon();
            header.base_timestamp = horizon;
        }
        let codec = if kept.is_empty() {
            Codec::None
        } else {
            header.codec()?
        };
        let mut bytes = vec![0; HEADER_SIZE];
        for record in kept {
            encode::push_kept(&mut bytes, &header, batch, record);
        }
        if codec != Codec::None {
            // The level is the producer's choice, which is not known here.
            let compression = Compression::new(codec, None).unwrap_or(Compression::NONE);
            bytes = compression::compress(compression, &bytes[HEADER_SIZE..], HEADER_SIZE)
                .map_err(|cause| RecordsError::Compress {
                    codec,
                    cause: cause.to_string(),
                })?;
        }
        header.attributes = header.attributes.with_codec(codec);
        let size = i32::try_from(bytes.len() - LOG_OVERHEAD);
        header.batch_length = size.map_err(|_| RecordsError::TooLarge {
            bytes: bytes.len(),
            records: header.record_count.unsigned_abs(),
        })?;
        let latest = kept.iter().map(|record| record.timestamp).max();
        if let (Some(latest), TimestampType::CreateTime) =
            (latest, header.attributes.timestamp_type())
        {
            header.max_timestamp = latest;
        }
        header.record_count = i32::try_from(kept.len()).unwrap_or(header.record_count);
        builder::finish(&mut bytes, &mut header);
        Ok(Self::new(header, bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchBuilder, Header, ProducerFields, ReadLimits, batches};

    fn sealed(codec: Codec) -> RawBatch {
        let mut builder = BatchBuilder::new(0);
        let header = Header {
            key: "h",
            value: Some(b"x"),
        };
        for (index, value) in [Some("one"), None, Some("three")].into_iter().enumerate() {
            let value = value.map(str::as_bytes);
            builder.append(100 + index as i64, Some(b"k"), value, &[header]);
        }
        let producer = ProducerFields {
            producer_id: 7,
            producer_epoch: 1,
            base_sequence: 5,
            transactional: true,
        };
        let compression = Compression::new(codec, None).unwrap();
        let bytes = builder.seal(compression, producer).unwrap().bytes;
        let batch = batches(bytes).next().unwrap().unwrap();
        batch.with_position(40, 2).unwrap()
    }

    fn read(raw: &RawBatch) -> Vec<(i64, i64, Option<String>, usize)> {
        let batch = raw.open(&ReadLimits::default()).unwrap();
        let text = |record: &RecordView| {
            record
                .value
                .map(|span| String::from_utf8(batch.slice(span).to_vec()).unwrap())
        };
        let records = batch.records();
        records
            .map(|record| {
                let headers = batch.headers(&record).count();
                (record.offset, record.timestamp, text(&record), headers)
            })
            .collect()
    }

    fn kept(raw: &RawBatch, indexes: &[usize], horizon: Option<i64>) -> RawBatch {
        let batch = raw.open(&ReadLimits::default()).unwrap();
        let all: Vec<_> = batch.records().collect();
        let kept: Vec<_> = indexes.iter().map(|index| all[*index]).collect();
        let left = raw.retaining(&batch, &kept, horizon).unwrap();
        batches(left.bytes().clone()).next().unwrap().unwrap()
    }

    #[test]
    fn what_is_left_keeps_its_offsets_and_timestamps() {
        for codec in [
            Codec::None,
            Codec::Gzip,
            Codec::Snappy,
            Codec::Lz4,
            Codec::Zstd,
        ] {
            let raw = sealed(codec);
            let left = kept(&raw, &[1, 2], None);
            let expected = [(41, 101, None, 1), (42, 102, Some("three".to_owned()), 1)];
            assert_eq!(read(&left), expected);
            let expected = BatchHeader {
                record_count: 2,
                batch_length: left.header.batch_length,
                crc: left.header.crc,
                ..raw.header
            };
            assert_eq!(left.header, expected);
        }
    }

    #[test]
    fn a_delete_horizon_changes_no_timestamp_of_a_record() {
        let left = kept(&sealed(Codec::Zstd), &[0, 1], Some(1 << 40));
        assert_eq!(left.header.base_timestamp, 1 << 40);
        assert!(left.header.attributes.has_delete_horizon());
        let timestamps: Vec<_> = read(&left).iter().map(|record| record.1).collect();
        assert_eq!(timestamps, [100, 101]);
    }

    #[test]
    fn a_batch_may_be_left_without_records() {
        let raw = sealed(Codec::Lz4);
        let left = kept(&raw, &[], None);
        assert_eq!(read(&left), []);
        assert_eq!(left.header.next_offset(), 43);
        assert_eq!(left.header.producer_id, 7);
        assert_eq!(left.bytes().len(), HEADER_SIZE);
    }
}
