//! Batches worked out by hand from Kafka's description of its formats, and compressed data that other programs wrote.

use bytes::Bytes;
use kafkars_records::{
    Codec, Compression, LegacyFormat, LegacySetBuilder, ProducerFields, RawBatch, ReadLimits,
    batches, decompress,
};

use crate::support::{Owned, build, mend_crc, open, raw, read};

/// A transactional batch of two records at offset 100.
#[rustfmt::skip]
const BATCH: &[u8] = &[
    0, 0, 0, 0, 0, 0, 0, 100,                           // base offset
    0, 0, 0, 72,                                        // length: 49 bytes of header after it, 23 of records
    0, 0, 0, 3,                                         // partition leader epoch
    2,                                                  // magic
    0x9d, 0xf5, 0xd6, 0x60,                             // CRC-32C of all that follows
    0, 0x10,                                            // attributes: transactional
    0, 0, 0, 1,                                         // last offset delta
    0x00, 0x00, 0x01, 0x74, 0x87, 0x6e, 0x80, 0x00,     // base timestamp: 1600000000000
    0x00, 0x00, 0x01, 0x74, 0x87, 0x6e, 0x80, 0x00,     // max timestamp
    0, 0, 0, 0, 0, 0, 0x10, 0x92,                       // producer id: 4242
    0, 7,                                               // producer epoch
    0, 0, 0, 11,                                        // base sequence
    0, 0, 0, 2,                                         // records
    // Numbers from here on are zigzag varints: 2n, or -2n - 1 for a negative n.
    30, 0, 0, 0,                                        // length 15, attributes, timestamp delta, offset delta
    2, b'k', 2, b'v',                                   // key, value
    4, 2, b'h', 2, b'1', 2, b'n', 1,                    // two headers: h is 1, n is null
    12, 0, 9, 2,                                        // length 6, attributes, timestamp delta -5, offset delta 1
    1, 1, 0,                                            // no key, no value, no headers
];

#[test]
fn a_batch_has_the_bytes_of_the_format() {
    let mut first = Owned::new(1_600_000_000_000, b"k", b"v");
    first.headers = vec![
        ("h".to_owned(), Some(b"1".to_vec())),
        ("n".to_owned(), None),
    ];
    let second = Owned {
        timestamp: 1_599_999_999_995,
        ..Owned::default()
    };
    let records = [first, second];
    let producer = ProducerFields {
        producer_id: 4242,
        producer_epoch: 7,
        base_sequence: 11,
        transactional: true,
    };

    let built = raw(build(&records, Compression::NONE, producer))
        .with_position(100, 3)
        .unwrap();
    assert_eq!(built.bytes()[..], BATCH[..]);

    let batch = open(BATCH).unwrap();
    assert_eq!(read(&batch), records);
    assert_eq!(
        batch.records().map(|view| view.offset).collect::<Vec<_>>(),
        [100, 101]
    );
    assert_eq!(
        (
            batch.header.partition_leader_epoch,
            batch.header.next_offset()
        ),
        (3, 102)
    );
}

/// Offset 7, 16 bytes, CRC-32, magic 0, no attributes, key and value behind 4-byte lengths.
const MAGIC_0: &[u8] = b"\0\0\0\0\0\0\0\x07\0\0\0\x10\x1f\xec\xd7\x0a\0\0\0\0\0\x01k\0\0\0\x01v";
/// Offset 8, 23 bytes, CRC-32, magic 1, no attributes, timestamp 1600000000000, no key.
const MAGIC_1: &[u8] =
    b"\0\0\0\0\0\0\0\x08\0\0\0\x17\x95\xc2\x09\x5e\x01\0\0\0\x01\x74\x87\x6e\x80\0\xff\xff\xff\xff\0\0\0\x01v";

#[test]
fn messages_have_the_bytes_of_their_formats() {
    for (fixture, format, offset, expected) in [
        (MAGIC_0, LegacyFormat::Magic0, 7, Owned::new(-1, b"k", b"v")),
        (
            MAGIC_1,
            LegacyFormat::Magic1,
            8,
            Owned {
                key: None,
                ..Owned::new(1_600_000_000_000, b"", b"v")
            },
        ),
    ] {
        let batch = open(fixture).unwrap();
        assert_eq!(batch.header.base_offset, offset);
        assert_eq!(read(&batch), std::slice::from_ref(&expected));
        let mut builder = LegacySetBuilder::new(format, 0);
        builder.append(
            1_600_000_000_000,
            expected.key.as_deref(),
            expected.value.as_deref(),
        );
        let written = builder.seal(Compression::NONE).unwrap();
        assert_eq!(written[8..], fixture[8..]);
    }
}

/// The log of an upgraded broker holds all three formats in a row.
#[test]
fn formats_follow_each_other_in_one_log() {
    let log = [MAGIC_0, MAGIC_1, BATCH].concat();
    let open = |raw: Result<RawBatch, _>| raw.unwrap().open(&ReadLimits::default()).unwrap();
    let opened: Vec<_> = batches(log.into()).map(open).collect();
    assert_eq!(
        opened
            .iter()
            .map(|batch| batch.header.magic)
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    let offsets: Vec<_> = opened
        .iter()
        .flat_map(|batch| batch.records().map(|view| view.offset))
        .collect();
    assert_eq!(offsets, [7, 8, 100, 101]);
}

/// `tests/data/README.md` names the programs that wrote them. They have linked blocks, checksums, stated and unstated
/// sizes, several members.
#[test]
fn data_of_other_compressors_is_read() {
    let content: Vec<u8> = (0..200_000_u64)
        .map(|index| (index * index % 251) as u8)
        .collect();
    for (codec, fixture) in [
        (Codec::Lz4, &include_bytes!("../data/linked.lz4")[..]),
        (Codec::Lz4, include_bytes!("../data/independent.lz4")),
        (Codec::Zstd, include_bytes!("../data/sized.zst")),
        (Codec::Zstd, include_bytes!("../data/streamed.zst")),
        (Codec::Gzip, include_bytes!("../data/two_members.gz")),
    ] {
        assert_eq!(
            decompress(codec, fixture, content.len()).unwrap(),
            content,
            "{codec}"
        );
    }
}

/// Frames or members in a row are one stream.
#[test]
fn frames_in_a_row_are_read_as_one() {
    let lz4 = include_bytes!("../data/linked.lz4");
    let streamed = include_bytes!("../data/streamed.zst");
    let sized = include_bytes!("../data/sized.zst");
    for (codec, frames) in [
        (Codec::Lz4, [&lz4[..], &lz4[..]].concat()),
        (Codec::Zstd, [&sized[..], &streamed[..]].concat()),
        (Codec::Zstd, [&streamed[..], &sized[..]].concat()),
    ] {
        assert_eq!(decompress(codec, &frames, 1 << 20).unwrap().len(), 400_000);
    }
}

#[test]
fn snappy_is_written_framed_and_read_framed_and_bare() {
    let records = [Owned::new(0, b"", &[b'a'; 70_000])];
    let framed = build(&records, Codec::Snappy.into(), ProducerFields::default());
    // The framing: magic, version 1, readable since version 1, then the length of the first block.
    assert_eq!(framed[61..77], *b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01");
    assert_eq!(read(&open(framed.clone()).unwrap()), records);

    let plain = build(&records, Compression::NONE, ProducerFields::default());
    let mut bare = framed[..61].to_vec();
    bare.extend(
        snap::raw::Encoder::new()
            .compress_vec(&plain[61..])
            .unwrap(),
    );
    let length = bare.len() as i32 - 12;
    bare[8..12].copy_from_slice(&length.to_be_bytes());
    mend_crc(&mut bare);
    assert_eq!(read(&open(Bytes::from(bare)).unwrap()), records);
}

#[test]
fn gzip_is_written_without_a_time() {
    let bytes = build(
        &[Owned::default()],
        Codec::Gzip.into(),
        ProducerFields::default(),
    );
    assert_eq!(bytes[61..69], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
}
