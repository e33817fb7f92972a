//! Compression levels: every level of a range works, and the first outside is refused with an error that names the
//! range.

use kafkars_records::{Codec, Compression, ProducerFields};

use crate::support::{CODECS, build, open, read, some_records};

#[test]
fn every_level_writes_what_reads_back() {
    let records = some_records(20);
    for codec in CODECS {
        let Some(levels) = codec.levels() else {
            continue;
        };
        // Zstd has very many negative levels, and its highest ones take seconds to set up their memory, so only some
        // are tried.
        let tried = levels
            .filter(|level| codec != Codec::Zstd || (-7..=12).contains(level))
            .chain(match codec {
                Codec::Zstd => vec![-131_072, 22],
                _ => Vec::new(),
            });
        for level in tried {
            let compression = Compression::new(codec, Some(level)).unwrap();
            assert_eq!(compression.level(), Some(level));
            let bytes = build(&records, compression, ProducerFields::default());
            assert_eq!(read(&open(bytes).unwrap()), records, "{codec} {level}");
        }
    }
}

#[test]
fn higher_levels_compress_more() {
    let records = some_records(2_000);
    for (codec, low, high) in [(Codec::Gzip, 1, 9), (Codec::Zstd, -50, 19)] {
        let size = |level| {
            build(
                &records,
                Compression::new(codec, Some(level)).unwrap(),
                ProducerFields::default(),
            )
            .len()
        };
        assert!(size(high) < size(low), "{codec}");
        // The level of the batch before has no influence.
        assert_eq!(size(low), size(low));
    }
}

#[test]
fn levels_outside_the_range_are_refused_by_name() {
    for (codec, level, message) in [
        (
            Codec::Gzip,
            0,
            "gzip has no compression level 0: it takes 1 to 9",
        ),
        (
            Codec::Gzip,
            10,
            "gzip has no compression level 10: it takes 1 to 9",
        ),
        (
            Codec::Lz4,
            18,
            "lz4 has no compression level 18: it takes 1 to 17",
        ),
        (
            Codec::Zstd,
            23,
            "zstd has no compression level 23: it takes -131072 to 22",
        ),
        (
            Codec::Zstd,
            -131_073,
            "zstd has no compression level -131073: it takes -131072 to 22",
        ),
        (
            Codec::Snappy,
            1,
            "snappy takes no compression level, but 1 was asked for",
        ),
        (
            Codec::None,
            1,
            "none takes no compression level, but 1 was asked for",
        ),
    ] {
        assert_eq!(
            Compression::new(codec, Some(level))
                .unwrap_err()
                .to_string(),
            message
        );
    }
}

#[test]
fn codecs_have_kafkas_names_and_ids() {
    let named: Vec<_> = (0..5)
        .map(|id| Codec::from_id(id).unwrap().name())
        .collect();
    assert_eq!(named, ["none", "gzip", "snappy", "lz4", "zstd"]);
    assert_eq!(
        named
            .iter()
            .map(|name| Codec::from_name(name).unwrap().id())
            .collect::<Vec<_>>(),
        [0, 1, 2, 3, 4]
    );
    assert_eq!(Codec::from_id(5), None);
    assert_eq!(Codec::from_name("GZIP"), None);
}
