//! The fuzz targets `record_batch` and `decompress`, as plain functions, so that ordinary tests run them too.

use bytes::Bytes;
use kafkars_records::{
    Batch, BatchBuilder, Codec, Compression, Header, ProducerFields, ReadLimits, TimestampType,
    batches, decompress,
};

const LIMIT: usize = 1 << 20;

/// Reads `data` as a `records` field, as it is and with the CRC of its first batch corrected. A batch that opens must
/// read back the same after it is built again.
pub fn record_batch(data: &[u8]) {
    exhaust(Bytes::copy_from_slice(data));
    if let Some(mended) = with_right_crc(data) {
        exhaust(mended);
    }
}

/// Decompresses `data` with the codec that its first byte chooses, up to a limit. Then compresses it with every codec,
/// and must get it back.
pub fn decompress_any(data: &[u8]) {
    let Some((&choice, input)) = data.split_first() else {
        return;
    };
    let codecs = [
        Codec::None,
        Codec::Gzip,
        Codec::Snappy,
        Codec::Lz4,
        Codec::Zstd,
    ];
    let codec = codecs[usize::from(choice) % codecs.len()];
    if let Ok(output) = decompress(codec, input, LIMIT) {
        assert!(output.len() <= LIMIT, "{codec} exceeds its limit");
    }
    for codec in codecs {
        let mut builder = BatchBuilder::new(0);
        builder.append(0, None, Some(input), &[]);
        let sealed = builder
            .seal(Compression::from(codec), ProducerFields::default())
            .expect("a small batch can be sealed");
        let opened: Vec<_> = batches(sealed.bytes)
            .map(|raw| {
                raw.and_then(|raw| raw.open(&ReadLimits::default()))
                    .expect("what was sealed opens")
            })
            .collect();
        let value = opened[0]
            .records()
            .next()
            .and_then(|view| view.value)
            .expect("the record is there");
        assert_eq!(
            opened[0].slice(value),
            input,
            "{codec} changes what it compresses"
        );
    }
}

fn exhaust(data: Bytes) {
    let limits = ReadLimits {
        max_decompressed: LIMIT,
    };
    for raw in batches(data).flatten() {
        if let Ok(batch) = raw.open(&limits) {
            read_and_rebuild(&batch);
        }
    }
}

fn read_and_rebuild(batch: &Batch) {
    let mut rebuilt = BatchBuilder::new(0);
    let mut count = 0;
    for view in batch.records() {
        assert_eq!(
            batch.headers(&view).count(),
            view.header_count as usize,
            "a header is missing"
        );
        let slice = |span| batch.slice(span);
        let keys: Vec<_> = batch
            .headers(&view)
            .map(|header| header.key_text())
            .collect();
        let headers: Vec<_> = std::iter::zip(&keys, batch.headers(&view))
            .map(|(key, header)| Header {
                key,
                value: header.value.map(slice),
            })
            .collect();
        rebuilt.append(
            view.timestamp,
            view.key.map(slice),
            view.value.map(slice),
            &headers,
        );
        count += 1;
    }
    assert_eq!(count, batch.header.record_count, "the count was checked");
    let sealed = rebuilt
        .seal(Compression::NONE, ProducerFields::default())
        .expect("what was read can be sealed");
    let again = batches(sealed.bytes)
        .map(|raw| {
            raw.and_then(|raw| raw.open(&ReadLimits::default()))
                .expect("what was rebuilt opens")
        })
        .next()
        .expect("one batch was built");
    assert_eq!(
        again.header.attributes.timestamp_type(),
        TimestampType::CreateTime
    );
    for (before, after) in batch.records().zip(again.records()) {
        assert_eq!(before.timestamp, after.timestamp);
        assert_eq!(
            before.key.map(|span| batch.slice(span)),
            after.key.map(|span| again.slice(span))
        );
        assert_eq!(
            before.value.map(|span| batch.slice(span)),
            after.value.map(|span| again.slice(span))
        );
        assert_eq!(before.header_count, after.header_count);
    }
}

/// The same bytes as a first batch of magic 2 with the right length and CRC.
fn with_right_crc(data: &[u8]) -> Option<Bytes> {
    let mut mended = data.to_vec();
    let length = i32::try_from(data.len().checked_sub(12)?).ok()?;
    mended
        .get_mut(8..12)?
        .copy_from_slice(&length.to_be_bytes());
    *mended.get_mut(16)? = 2;
    let crc = crc32c::crc32c(mended.get(21..)?);
    mended.get_mut(17..21)?.copy_from_slice(&crc.to_be_bytes());
    Some(mended.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::Entropy;

    /// A short run of what the fuzzer does for long: valid batches with a few bytes changed, and random bytes.
    #[test]
    fn record_batch_survives_a_short_run() {
        let mut entropy = Entropy::from_seed(1);
        for codec in [
            Codec::None,
            Codec::Gzip,
            Codec::Snappy,
            Codec::Lz4,
            Codec::Zstd,
        ] {
            for _ in 0..300 {
                let mut data = batch(codec);
                for _ in 0..=entropy.below(4) {
                    let at = entropy.below(data.len());
                    data[at] = entropy.bits() as u8;
                }
                record_batch(&data);
            }
        }
    }

    #[test]
    fn decompress_survives_a_short_run() {
        let mut entropy = Entropy::from_seed(2);
        for choice in 0..5_u8 {
            for _ in 0..100 {
                let codec = Codec::from_id(choice).unwrap_or_default();
                let mut data = batch(codec).split_off(60);
                data[0] = choice;
                for _ in 0..entropy.below(4) {
                    let at = 1 + entropy.below(data.len() - 1);
                    data[at] = entropy.bits() as u8;
                }
                data.truncate(1 + entropy.below(data.len()));
                decompress_any(&data);
            }
        }
    }

    #[test]
    fn nothing_is_survived_too() {
        record_batch(&[]);
        decompress_any(&[]);
    }

    fn batch(codec: Codec) -> Vec<u8> {
        let mut builder = BatchBuilder::new(0);
        for index in 0..6_u8 {
            let headers = [Header {
                key: "header",
                value: Some(&[index; 3]),
            }];
            builder.append(
                i64::from(index),
                Some(b"key"),
                Some(&[index; 40]),
                &headers[..usize::from(index % 2)],
            );
        }
        builder
            .seal(codec.into(), ProducerFields::default())
            .expect("a small batch can be sealed")
            .bytes
            .to_vec()
    }
}
