//! Batches read back as they were built, record by record, with every codec.

use kafkars_records::{BatchBuilder, Codec, Compression, ProducerFields, ReadLimits, batches};
use proptest::prelude::*;

use crate::support::{CODECS, Owned, build, open, raw, read, some_records};

fn bytes() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some(Vec::new())),
        6 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Some),
        // Long enough for lengths of three bytes, and for compression to have an effect.
        1 => (any::<u8>(), 8_000_usize..20_000).prop_map(|(byte, length)| Some(vec![byte; length])),
    ]
}

fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![4 => 1_700_000_000_000..1_700_000_100_000_i64, 1 => any::<i64>(), 1 => Just(-1)]
}

fn record() -> impl Strategy<Value = Owned> {
    let headers = prop::collection::vec(("[a-zäß]{0,8}", bytes()), 0..4);
    (timestamp(), bytes(), bytes(), headers).prop_map(|(timestamp, key, value, headers)| Owned {
        timestamp,
        key,
        value,
        headers,
    })
}

fn compression() -> impl Strategy<Value = Compression> {
    let level = |codec: Codec| match codec {
        Codec::None | Codec::Snappy => Just(None).boxed(),
        Codec::Gzip => prop::option::of(1..=9).boxed(),
        Codec::Lz4 => prop::option::of(1..=17).boxed(),
        Codec::Zstd => prop::option::of(prop_oneof![-131_072..=9, 1..=6]).boxed(),
    };
    prop::sample::select(&CODECS[..])
        .prop_flat_map(move |codec| (Just(codec), level(codec)))
        .prop_map(|(codec, level)| Compression::new(codec, level).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_batch_reads_back_as_it_was_built(
        records in prop::collection::vec(record(), 1..30),
        compression in compression(),
        id in any::<i64>(),
        epoch in any::<i16>(),
        sequence in any::<i32>(),
        transactional in any::<bool>(),
    ) {
        let producer =
            ProducerFields { producer_id: id, producer_epoch: epoch, base_sequence: sequence, transactional };
        let batch = open(build(&records, compression, producer)).unwrap();
        prop_assert_eq!(read(&batch), records.clone());

        let header = batch.header;
        prop_assert_eq!(header.attributes.compression(), Some(compression.codec()));
        prop_assert_eq!(header.attributes.is_transactional(), transactional);
        prop_assert!(!header.attributes.is_control());
        prop_assert_eq!((header.producer_id, header.producer_epoch, header.base_sequence), (id, epoch, sequence));
        prop_assert_eq!(header.base_timestamp, records[0].timestamp);
        prop_assert_eq!(Some(header.max_timestamp), records.iter().map(|record| record.timestamp).max());
        prop_assert_eq!(header.next_offset(), records.len() as i64);
        let offsets: Vec<_> = batch.records().map(|view| view.offset).collect();
        prop_assert_eq!(offsets, (0..records.len() as i64).collect::<Vec<_>>());
    }
}

/// A megabyte makes several blocks with every codec that has blocks.
#[test]
fn large_batches_of_every_codec_read_back() {
    let records = some_records(12_000);
    for codec in CODECS {
        let bytes = build(&records, codec.into(), ProducerFields::default());
        assert_eq!(read(&open(bytes).unwrap()), records, "{codec}");
    }
}

#[test]
fn incompressible_batches_of_every_codec_read_back() {
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(300_000)
    .collect();
    let records = [Owned::new(0, b"", &noise)];
    for codec in CODECS {
        let bytes = build(&records, codec.into(), ProducerFields::default());
        assert_eq!(read(&open(bytes).unwrap()), records, "{codec}");
    }
}

#[test]
fn an_empty_batch_of_every_codec_reads_back() {
    for codec in CODECS {
        let sealed = BatchBuilder::new(0)
            .seal(codec.into(), ProducerFields::default())
            .unwrap();
        assert_eq!(open(sealed.bytes).unwrap().records().count(), 0, "{codec}");
    }
}

/// Compaction leaves such a batch if it keeps it only for its producer's sequence number.
#[test]
fn a_header_alone_is_a_batch_without_records_whatever_its_codec() {
    for codec in CODECS {
        let mut bytes = BatchBuilder::new(0)
            .seal(Compression::NONE, ProducerFields::default())
            .unwrap()
            .bytes
            .to_vec();
        bytes[22] = codec.id();
        crate::support::mend_crc(&mut bytes);
        assert_eq!(open(bytes).unwrap().records().count(), 0, "{codec}");
    }
}

#[test]
fn a_walk_from_the_middle_yields_the_rest() {
    let records = some_records(10);
    let batch = open(build(
        &records,
        Compression::NONE,
        ProducerFields::default(),
    ))
    .unwrap();
    let fourth = batch.records().nth(3).unwrap();
    assert_eq!(batch.walk_from(fourth.next).count(), 6);
    assert_eq!(batch.record_at(fourth.next).offset, 4);
}

#[test]
fn several_batches_are_walked_and_a_cut_one_ends_the_walk() {
    let one = build(
        &some_records(3),
        Compression::NONE,
        ProducerFields::default(),
    );
    let two = build(
        &some_records(5),
        Codec::Lz4.into(),
        ProducerFields::default(),
    );
    let both = [&one[..], &two[..]].concat();
    for length in 0..=both.len() {
        let mut walk = batches(both[..length].to_vec().into());
        let whole = walk.by_ref().map(Result::unwrap).count();
        let expected = usize::from(length >= one.len()) + usize::from(length == both.len());
        assert_eq!(whole, expected);
        let left = [0, one.len(), both.len()][whole];
        assert_eq!(walk.rest().len(), length - left);
    }
}

#[test]
fn a_retry_restamps_the_producer_and_keeps_the_records() {
    let records = some_records(50);
    for codec in CODECS {
        let mut builder = BatchBuilder::new(0);
        for record in &records {
            builder.append(
                record.timestamp,
                record.key.as_deref(),
                record.value.as_deref(),
                &[],
            );
        }
        let first = ProducerFields {
            producer_id: 7,
            producer_epoch: 1,
            base_sequence: 40,
            transactional: true,
        };
        let mut sealed = builder.seal(codec.into(), first).unwrap();
        let under_way = sealed.bytes.clone();
        let again = ProducerFields {
            producer_id: 8,
            producer_epoch: 0,
            base_sequence: 0,
            transactional: false,
        };
        sealed.set_sequence(again);

        // The request in flight still has the old bytes.
        assert_eq!(raw(under_way.clone()).header.producer_id, 7);
        let batch = open(sealed.bytes.clone()).unwrap();
        let header = batch.header;
        assert_eq!(
            (
                header.producer_id,
                header.producer_epoch,
                header.base_sequence
            ),
            (8, 0, 0)
        );
        assert!(!header.attributes.is_transactional());
        assert_eq!(under_way[61..], sealed.bytes[61..]);
        assert_eq!(batch.records().count(), records.len());
        // With the first fields set again the batch is the same as before.
        sealed.set_sequence(first);
        assert_eq!(sealed.bytes, under_way);
    }
}

#[test]
fn any_record_is_found_by_its_index() {
    let mut builder = BatchBuilder::new(0);
    for number in 0..1_000_u32 {
        builder.append(0, None, Some(&number.to_be_bytes()), &[]);
    }
    let sealed = builder
        .seal(Compression::default(), ProducerFields::default())
        .expect("seals");
    let raw = batches(sealed.bytes).next().expect("one").expect("whole");
    let batch = raw.open(&ReadLimits::default()).expect("opens");
    for index in [0, 1, 63, 64, 65, 127, 128, 999] {
        let view = batch.nth(index).expect("there");
        let value = batch.slice(view.value.expect("a value"));
        assert_eq!(value, index.to_be_bytes());
    }
    assert_eq!(batch.nth(1_000), None);
}
