//! Damaged and malicious batches: an error or the same records, never a panic, never memory for a false number.

use kafkars_records::{
    Batch, Codec, Compression, LegacyFormat, LegacySetBuilder, ProducerFields, ReadLimits,
    RecordsError, batches, decompress,
};

use crate::support::{CODECS, Owned, build, mend_crc, open, raw, read, some_records};

/// Does everything that a reader can do with received bytes.
pub(crate) fn exhaust(bytes: Vec<u8>) -> Vec<Result<Batch, RecordsError>> {
    let opened: Vec<_> = batches(bytes.into())
        .map(|raw| {
            raw.and_then(|raw| {
                raw.open(&ReadLimits {
                    max_decompressed: 1 << 20,
                })
            })
        })
        .collect();
    for batch in opened.iter().flatten() {
        assert_eq!(batch.records().count(), batch.header.record_count as usize);
        for view in batch.records() {
            let headers = batch.headers(&view).count();
            assert_eq!(headers, view.header_count as usize);
        }
        read(batch);
        let _ = batch.header.next_offset();
    }
    opened
}

fn sets() -> Vec<Vec<u8>> {
    let records = some_records(4);
    let mut sets: Vec<_> = CODECS
        .iter()
        .map(|&codec| build(&records, codec.into(), ProducerFields::default()).to_vec())
        .collect();
    for format in [LegacyFormat::Magic0, LegacyFormat::Magic1] {
        for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4] {
            let mut builder = LegacySetBuilder::new(format, 0);
            for record in &records {
                builder.append(
                    record.timestamp,
                    record.key.as_deref(),
                    record.value.as_deref(),
                );
            }
            sets.push(builder.seal(codec.into()).unwrap().to_vec());
        }
    }
    sets
}

/// Corrects the CRC of the first batch or message, if there is one.
pub(crate) fn mend(bytes: &mut [u8]) {
    match bytes.get(16) {
        Some(2) if bytes.len() > 61 => mend_crc(bytes),
        Some(0 | 1) => {
            let size = i32::from_be_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
            let end = 12_usize
                .saturating_add(usize::try_from(size).unwrap_or(0))
                .min(bytes.len());
            let mut crc = flate2::Crc::new();
            crc.update(bytes.get(16..end).unwrap_or_default());
            bytes[12..16].copy_from_slice(&crc.sum().to_be_bytes());
        }
        _ => {}
    }
}

/// Each byte in turn becomes each of several others. As the CRC is not corrected, only fields that it does not cover
/// may differ.
#[test]
fn every_byte_changed_is_an_error_or_changes_nothing_covered() {
    for set in sets() {
        let good = exhaust(set.clone());
        let records: Vec<_> = good.iter().flatten().flat_map(read).collect();
        for at in 0..set.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bad = set.clone();
                bad[at] ^= change;
                let opened = exhaust(bad);
                if opened.len() == good.len() && opened.iter().all(Result::is_ok) {
                    assert_eq!(
                        opened.iter().flatten().flat_map(read).collect::<Vec<_>>(),
                        records
                    );
                }
            }
        }
    }
}

#[test]
fn every_byte_changed_under_a_right_crc_never_panics() {
    for set in sets() {
        for at in 0..set.len() {
            for change in [0x01, 0x02, 0x10, 0x40, 0x80, 0xff] {
                let mut bad = set.clone();
                bad[at] ^= change;
                mend(&mut bad);
                exhaust(bad);
            }
        }
    }
}

/// The length field is set to what is left, so that the codec and the record check meet the cut.
#[test]
fn a_batch_cut_at_every_byte_is_an_error() {
    for set in &sets()[..CODECS.len()] {
        for length in 61..set.len() {
            let mut cut = set[..length].to_vec();
            cut[8..12].copy_from_slice(&(length as i32 - 12).to_be_bytes());
            mend_crc(&mut cut);
            let opened = exhaust(cut);
            assert!(
                matches!(opened[..], [Err(_)]),
                "{length} of {}: {opened:?}",
                set.len()
            );
        }
    }
}

#[test]
fn a_count_that_lies_costs_nothing() {
    let good = build(
        &some_records(2),
        Compression::NONE,
        ProducerFields::default(),
    );
    for (stated, found) in [
        (i32::MAX, 2),
        (-1, 2),
        (i32::MIN, 2),
        (1, 2),
        (0, 2),
        (3, 2),
    ] {
        let mut bad = good.to_vec();
        bad[57..61].copy_from_slice(&stated.to_be_bytes());
        mend_crc(&mut bad);
        assert_eq!(
            open(bad),
            Err(RecordsError::BadCount {
                base_offset: 0,
                stated,
                found
            })
        );
    }
}

/// One record, in which each length field in turn is false.
#[test]
fn lengths_that_lie_are_errors() {
    let whole = [16, 0, 0, 0, 2, b'k', 2, b'v', 0];
    assert!(open(batch_around(&whole)).is_ok());
    let most = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    for at in [0, 4, 6, 8] {
        // One more, one less, null, the largest, a varint without end.
        for lie in [
            &[whole[at] + 2][..],
            &[whole[at].wrapping_sub(2)],
            &[1],
            &most,
            &[0x80; 6],
        ] {
            let bad = [&whole[..at], lie, &whole[at + 1..]].concat();
            let error = open(batch_around(&bad)).unwrap_err();
            let expected = matches!(
                error,
                RecordsError::BadRecord { index: 0, .. } | RecordsError::BadCount { .. }
            );
            assert!(expected, "{bad:?}: {error}");
        }
    }
}

#[test]
fn headers_that_lie_are_errors() {
    let record = |headers: &[u8]| {
        let body = [&[0, 0, 0, 1, 1], headers].concat();
        batch_around(&[&[body.len() as u8 * 2], &body[..]].concat())
    };
    assert!(open(record(&[2, 2, b'h', 2, b'v'])).is_ok());
    let most = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    for lie in [
        &[1][..],
        &most,
        &[4, 2, b'h', 2, b'v'],
        &[2, 2, b'h', 2, b'v', 0],
        &[2, 1, 2, b'v'],
        &[2, 2, b'h', 4, b'v'],
        &[2, 8, b'h', 2, b'v'],
    ] {
        assert!(
            matches!(open(record(lie)), Err(RecordsError::BadRecord { .. })),
            "{lie:?}"
        );
    }
}

#[test]
fn headers_of_batches_that_lie_are_errors() {
    let good = build(
        &some_records(1),
        Compression::NONE,
        ProducerFields::default(),
    );
    let first = |bytes: Vec<u8>| batches(bytes.into()).next();
    for length in [-1, 0, 48, i32::MIN] {
        let mut bad = good.to_vec();
        bad[8..12].copy_from_slice(&length.to_be_bytes());
        assert_eq!(
            first(bad),
            Some(Err(RecordsError::BadLength {
                base_offset: 0,
                length
            }))
        );
    }
    for magic in [3, -1, 127] {
        let mut bad = good.to_vec();
        bad[16] = magic as u8;
        assert_eq!(
            first(bad),
            Some(Err(RecordsError::BadMagic {
                base_offset: 0,
                magic
            }))
        );
    }
    let mut bad = good.to_vec();
    bad[22] = 5;
    mend_crc(&mut bad);
    assert_eq!(raw(bad.clone()).header.attributes.compression(), None);
    assert_eq!(
        open(bad),
        Err(RecordsError::UnknownCodec {
            base_offset: 0,
            id: 5
        })
    );

    for (base_offset, last_offset_delta) in [(i64::MAX, 0), (-1, 0), (i64::MIN, 0), (7, -1)] {
        let mut bad = good.to_vec();
        bad[..8].copy_from_slice(&base_offset.to_be_bytes());
        bad[23..27].copy_from_slice(&i32::to_be_bytes(last_offset_delta));
        mend_crc(&mut bad);
        let error = open(bad).unwrap_err();
        assert!(
            matches!(error, RecordsError::BadOffsets { .. }),
            "{base_offset} + {last_offset_delta}: {error:?}"
        );
    }
}

/// Two records with the same offset, one after the last offset of the batch, one before its first.
#[test]
fn records_outside_the_offsets_of_their_batch_are_errors() {
    let good = build(
        &[Owned::new(0, b"", b""), Owned::new(0, b"", b"")],
        Compression::NONE,
        ProducerFields::default(),
    );
    // Length, attributes and timestamp come before the offset of a record, in a byte each.
    let record = (good.len() - 61) / 2;
    let second = 61 + record + 3;
    for (delta, what) in [
        (
            0_u8,
            "its offset is not behind that of the record before it",
        ),
        (1, "its offset is not behind that of the record before it"),
        (4, "its offset is behind the last one of its batch"),
    ] {
        let mut bad = good.to_vec();
        bad[second] = delta;
        mend_crc(&mut bad);
        let expected = RecordsError::BadRecord {
            base_offset: 0,
            index: 1,
            what,
        };
        assert_eq!(open(bad), Err(expected));
    }
}

/// Positions and spans of one batch mean nothing in another, and do no harm there.
#[test]
fn foreign_positions_are_harmless() {
    let large = open(build(
        &some_records(100),
        Compression::NONE,
        ProducerFields::default(),
    ))
    .unwrap();
    let small = open(build(
        &some_records(1),
        Compression::NONE,
        ProducerFields::default(),
    ))
    .unwrap();
    for position in (0..large.data().len() as u32 + 10).chain([u32::MAX]) {
        let view = small.record_at(position);
        assert!(small.headers(&view).count() <= view.header_count as usize);
        let _ = small.walk_from(position).count();
        let view = large.record_at(position);
        for span in [view.key, view.value].into_iter().flatten() {
            assert_eq!(large.slice(span).len(), span.len());
            let _ = small.slice(span);
        }
    }
}

/// Codecs compress zeros to a thousandth and less; `memory.rs` shows the memory until the limit stops them.
#[test]
fn bombs_are_stopped_at_the_limit() {
    let records = [Owned {
        value: Some(vec![0; 8 << 20]),
        ..Owned::default()
    }];
    for codec in [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let bytes = build(&records, codec.into(), ProducerFields::default());
        let limits = ReadLimits {
            max_decompressed: 1 << 20,
        };
        let error = RecordsError::DecompressedTooLarge {
            base_offset: 0,
            codec,
            limit: 1 << 20,
        };
        assert_eq!(raw(bytes.clone()).open(&limits), Err(error), "{codec}");

        // The limit itself is still allowed, one byte less is not.
        let size = open(bytes.clone()).unwrap().data().len();
        assert!(
            raw(bytes.clone())
                .open(&ReadLimits {
                    max_decompressed: size
                })
                .is_ok(),
            "{codec}"
        );
        assert!(
            raw(bytes)
                .open(&ReadLimits {
                    max_decompressed: size - 1
                })
                .is_err(),
            "{codec}"
        );
    }
}

/// Linked blocks, checksums and stated sizes, which this crate does not write, are read from data of other programs.
#[test]
fn damaged_data_of_other_compressors_never_panics() {
    const LIMIT: usize = 1 << 20;
    for (codec, fixture) in [
        (Codec::Lz4, &include_bytes!("../data/linked.lz4")[..]),
        (Codec::Lz4, include_bytes!("../data/independent.lz4")),
        (Codec::Zstd, include_bytes!("../data/sized.zst")),
        (Codec::Zstd, include_bytes!("../data/streamed.zst")),
        (Codec::Gzip, include_bytes!("../data/two_members.gz")),
    ] {
        for at in (0..fixture.len()).step_by(5).chain(0..20) {
            assert!(
                decompress(codec, &fixture[..at], LIMIT).is_err(),
                "{codec} cut at {at}"
            );
            for change in [0x01, 0x80] {
                let mut bad = fixture.to_vec();
                bad[at] ^= change;
                let output = decompress(codec, &bad, LIMIT).unwrap_or_default();
                assert!(output.len() <= LIMIT, "{codec} changed at {at}");
            }
        }
    }
}

/// A v2 batch that states one record and has these bytes as its records.
pub(crate) fn batch_around(records: &[u8]) -> Vec<u8> {
    let mut bytes = build(&[], Compression::NONE, ProducerFields::default()).to_vec();
    bytes.extend_from_slice(records);
    let length = bytes.len() as i32 - 12;
    bytes[8..12].copy_from_slice(&length.to_be_bytes());
    bytes[57..61].copy_from_slice(&1_i32.to_be_bytes());
    mend_crc(&mut bytes);
    bytes
}
