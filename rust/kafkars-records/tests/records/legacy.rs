//! Message sets of magic 0 and 1.

use bytes::Bytes;
use kafkars_records::{
    Batch, Codec, Compression, LegacyFormat, LegacySetBuilder, RawBatch, ReadLimits, RecordsError,
    TimestampType, batches,
};

use crate::support::{Owned, open, read};

const FORMATS: [LegacyFormat; 2] = [LegacyFormat::Magic0, LegacyFormat::Magic1];
const CODECS: [Codec; 3] = [Codec::Gzip, Codec::Snappy, Codec::Lz4];

fn messages() -> Vec<Owned> {
    vec![
        Owned::new(500, b"key", b"value"),
        Owned {
            timestamp: 400,
            key: None,
            value: Some(Vec::new()),
            headers: Vec::new(),
        },
        Owned {
            timestamp: 600,
            key: Some(Vec::new()),
            value: None,
            headers: Vec::new(),
        },
        Owned::new(600, b"long", &[7; 100_000]),
    ]
}

fn set(format: LegacyFormat, codec: Codec) -> Bytes {
    let mut builder = LegacySetBuilder::new(format, 0);
    for message in messages() {
        builder.append(
            message.timestamp,
            message.key.as_deref(),
            message.value.as_deref(),
        );
    }
    builder.seal(codec.into()).unwrap()
}

/// The messages as they are read back: magic 0 has no timestamps.
fn expected(format: LegacyFormat) -> Vec<Owned> {
    let mut messages = messages();
    if format == LegacyFormat::Magic0 {
        messages
            .iter_mut()
            .for_each(|message| message.timestamp = -1);
    }
    messages
}

fn open_all(set: Bytes) -> Vec<Batch> {
    let open = |raw: Result<RawBatch, _>| raw.unwrap().open(&ReadLimits::default()).unwrap();
    batches(set).map(open).collect()
}

/// Corrects the CRC of a changed message.
fn mend(message: &mut [u8]) {
    let mut crc = flate2::Crc::new();
    crc.update(&message[16..]);
    message[12..16].copy_from_slice(&crc.sum().to_be_bytes());
}

#[test]
fn plain_messages_are_batches_of_one() {
    for format in FORMATS {
        let opened = open_all(set(format, Codec::None));
        let offsets: Vec<_> = opened
            .iter()
            .map(|batch| (batch.header.base_offset, batch.header.next_offset()))
            .collect();
        assert_eq!(offsets, [(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert_eq!(
            opened.iter().flat_map(read).collect::<Vec<_>>(),
            expected(format)
        );
    }
}

#[test]
fn compressed_sets_open_as_one_batch() {
    for format in FORMATS {
        for codec in CODECS {
            let batch = open(set(format, codec)).unwrap();
            assert_eq!(read(&batch), expected(format), "{codec}");
            assert_eq!(
                (
                    batch.header.base_offset,
                    batch.header.last_offset(),
                    batch.header.record_count
                ),
                (0, 3, 4)
            );
            assert_eq!(batch.header.attributes.compression(), Some(codec));
            assert_eq!(batch.header.producer_id, -1);
        }
    }
}

/// Kafka 0.10 and later number the messages in a set from 0, and the outer message has the offset of the last.
#[test]
fn offsets_within_a_set_of_magic_1_are_relative_to_its_end() {
    let mut moved = set(LegacyFormat::Magic1, Codec::Gzip).to_vec();
    moved[..8].copy_from_slice(&1_003_i64.to_be_bytes());
    let batch = open(moved).unwrap();
    assert_eq!(
        batch.records().map(|view| view.offset).collect::<Vec<_>>(),
        [1_000, 1_001, 1_002, 1_003]
    );
    assert_eq!(
        (batch.header.base_offset, batch.header.next_offset()),
        (1_000, 1_004)
    );
}

#[test]
fn offsets_within_a_set_of_magic_0_are_real() {
    let mut moved = set(LegacyFormat::Magic0, Codec::Gzip).to_vec();
    moved[..8].copy_from_slice(&1_003_i64.to_be_bytes());
    let offsets: Vec<_> = open(moved)
        .unwrap()
        .records()
        .map(|view| view.offset)
        .collect();
    assert_eq!(offsets, [0, 1, 2, 3]);
}

#[test]
fn log_append_time_of_the_set_counts_for_its_messages() {
    let mut stamped = set(LegacyFormat::Magic1, Codec::Snappy).to_vec();
    stamped[17] |= 0x08;
    stamped[18..26].copy_from_slice(&9_999_i64.to_be_bytes());
    mend(&mut stamped);
    let batch = open(stamped).unwrap();
    assert_eq!(
        batch.header.attributes.timestamp_type(),
        TimestampType::LogAppendTime
    );
    assert!(batch.records().all(|view| view.timestamp == 9_999));
}

/// Clients before Kafka 0.10 computed the header checksum of an LZ4 frame over its magic too; brokers of that time
/// accept nothing else.
#[test]
fn lz4_of_magic_0_has_the_old_check_byte_and_either_is_read() {
    const CHECK_AT: usize = 12 + 4 + 1 + 1 + 4 + 4 + 6;
    let old = set(LegacyFormat::Magic0, Codec::Lz4).to_vec();
    assert_eq!(
        old[CHECK_AT - 6..=CHECK_AT],
        [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x1a]
    );
    let mut new = old.clone();
    new[CHECK_AT] = 0x82;
    mend(&mut new);
    assert_eq!(read(&open(new.clone()).unwrap()), read(&open(old).unwrap()));
    new[CHECK_AT] = 0x00;
    mend(&mut new);
    assert!(matches!(
        open(new),
        Err(RecordsError::Decompress {
            codec: Codec::Lz4,
            ..
        })
    ));
}

#[test]
fn a_wrong_crc_is_an_error() {
    for format in FORMATS {
        let mut set = set(format, Codec::Gzip).to_vec();
        *set.last_mut().unwrap() ^= 1;
        assert!(matches!(
            open(set),
            Err(RecordsError::BadCrc { base_offset: 3, .. })
        ));
    }
}

#[test]
fn zstd_does_not_go_into_a_message_set() {
    let mut builder = LegacySetBuilder::new(LegacyFormat::Magic1, 0);
    builder.append(0, None, None);
    let error = builder.seal(Compression::from(Codec::Zstd)).unwrap_err();
    assert!(matches!(
        error,
        RecordsError::Compress {
            codec: Codec::Zstd,
            ..
        }
    ));
}

#[test]
fn a_set_within_a_set_is_refused() {
    let inner = set(LegacyFormat::Magic1, Codec::Gzip);
    let outer = wrap(&inner, 1);
    let what = "it is compressed within a compressed set";
    assert_eq!(
        open(outer),
        Err(RecordsError::BadRecord {
            base_offset: 0,
            index: 0,
            what
        })
    );
}

#[test]
fn magics_are_not_mixed_within_a_set() {
    let what = "its magic is not that of its set";
    let outer = wrap(&set(LegacyFormat::Magic0, Codec::None), 1);
    assert_eq!(
        open(outer),
        Err(RecordsError::BadRecord {
            base_offset: 0,
            index: 0,
            what
        })
    );
}

#[test]
fn an_empty_set_within_a_message_is_refused() {
    let what = "a compressed set holds no message";
    assert_eq!(
        open(wrap(b"", 1)),
        Err(RecordsError::BadRecord {
            base_offset: 0,
            index: 0,
            what
        })
    );
}

#[test]
fn messages_within_that_go_backwards_are_refused() {
    let mut inner = set(LegacyFormat::Magic1, Codec::None).to_vec();
    inner[..8].copy_from_slice(&2_i64.to_be_bytes());
    let what = "its offset is not behind that of the message ahead of it";
    assert_eq!(
        open(wrap(&inner, 1)),
        Err(RecordsError::BadRecord {
            base_offset: 0,
            index: 1,
            what
        })
    );
}

/// A message of magic 1 around a set that is compressed with snappy.
fn wrap(inner: &[u8], magic: u8) -> Bytes {
    let compressed = snap::raw::Encoder::new().compress_vec(inner).unwrap();
    let mut message = vec![0; 16];
    message.extend_from_slice(&[magic, 2]);
    message.extend_from_slice(&0_i64.to_be_bytes());
    message.extend_from_slice(&(-1_i32).to_be_bytes());
    message.extend_from_slice(&(compressed.len() as i32).to_be_bytes());
    message.extend_from_slice(&compressed);
    let size = message.len() as i32 - 12;
    message[8..12].copy_from_slice(&size.to_be_bytes());
    mend(&mut message);
    message.into()
}
