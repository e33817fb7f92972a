//! Records as owned values, for comparing what was written with what was read.

use bytes::Bytes;
use kafkars_records::{
    Batch, BatchBuilder, Codec, Compression, Header, ProducerFields, RawBatch, ReadLimits,
    RecordsError, batches,
};

pub(crate) const CODECS: [Codec; 5] = [
    Codec::None,
    Codec::Gzip,
    Codec::Snappy,
    Codec::Lz4,
    Codec::Zstd,
];

/// A record with all its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Owned {
    pub(crate) timestamp: i64,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Owned {
    pub(crate) fn new(timestamp: i64, key: &[u8], value: &[u8]) -> Self {
        Self {
            timestamp,
            key: Some(key.to_vec()),
            value: Some(value.to_vec()),
            headers: Vec::new(),
        }
    }
}

/// Builds a batch of these records.
pub(crate) fn build(
    records: &[Owned],
    compression: Compression,
    producer: ProducerFields,
) -> Bytes {
    let mut builder = BatchBuilder::new(0);
    for (index, record) in records.iter().enumerate() {
        let headers: Vec<_> = record
            .headers
            .iter()
            .map(|(key, value)| Header {
                key,
                value: value.as_deref(),
            })
            .collect();
        let before = builder.len();
        let bound = BatchBuilder::record_size_bound(
            record.key.as_deref(),
            record.value.as_deref(),
            &headers,
        );
        let size = builder.next_record_size(
            record.timestamp,
            record.key.as_deref(),
            record.value.as_deref(),
            &headers,
        );
        let at = builder.append(
            record.timestamp,
            record.key.as_deref(),
            record.value.as_deref(),
            &headers,
        );
        assert_eq!(at as usize, index);
        assert_eq!(builder.len() - before, size);
        assert!(size <= bound);
    }
    let sealed = builder.seal(compression, producer).unwrap();
    assert_eq!(sealed.record_count as usize, records.len());
    sealed.bytes
}

/// The records of an opened batch; their offsets must be consecutive.
pub(crate) fn read(batch: &Batch) -> Vec<Owned> {
    let slice = |span| batch.slice(span).to_vec();
    batch
        .records()
        .map(|view| Owned {
            timestamp: view.timestamp,
            key: view.key.map(slice),
            value: view.value.map(slice),
            headers: batch
                .headers(&view)
                .map(|header| (header.key_text().into_owned(), header.value.map(slice)))
                .collect(),
        })
        .collect()
}

pub(crate) fn raw(bytes: impl Into<Bytes>) -> RawBatch {
    let mut walk = batches(bytes.into());
    let first = walk.next().unwrap().unwrap();
    assert!(walk.next().is_none());
    first
}

pub(crate) fn open(bytes: impl Into<Bytes>) -> Result<Batch, RecordsError> {
    raw(bytes).open(&ReadLimits::default())
}

/// Corrects the CRC of a changed v2 batch, so that the checks after it are reached.
pub(crate) fn mend_crc(batch: &mut [u8]) {
    let crc = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
}

/// Makes records that compress a little.
pub(crate) fn some_records(count: usize) -> Vec<Owned> {
    let record = |index: usize| Owned {
        timestamp: 1_700_000_000_000 + index as i64,
        key: Some(format!("key-{}", index % 17).into_bytes()),
        value: Some(
            format!("value {index} of many, and {} is its square", index * index).into_bytes(),
        ),
        headers: if index.is_multiple_of(3) {
            vec![
                ("trace".to_owned(), Some(vec![index as u8; 4])),
                (String::new(), None),
            ]
        } else {
            Vec::new()
        },
    };
    (0..count).map(record).collect()
}
