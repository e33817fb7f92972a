//! Every message in every version: what is decoded is encoded again, byte for byte.

use bytes::Bytes;
use kafkars_testkit::codec::MessageCodec;
use kafkars_testkit::entropy::Entropy;
use kafkars_testkit::sample::Sample;
use kafkars_testkit::schema::MessageSchema;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// How many cases there are for each of some six hundred pairs of message and version.
const CASES: u32 = 64;

#[test]
fn what_is_read_is_written_again() {
    let config = ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..Default::default()
    };
    for (codec, schema) in pairs() {
        for version in codec.versions.iter() {
            // A runner counts its successes over all its runs, so each pair gets its own.
            TestRunner::new(config.clone())
                .run(&vec(any::<u8>(), 0..1024), |choices| {
                    let sample = Sample::new(schema, version, &mut Entropy::from_bytes(choices));
                    let recoded =
                        (codec.recode)(sample.bytes.clone(), version).map_err(|error| {
                            TestCaseError::fail(format!("{} v{version}: {error}", codec.name))
                        })?;
                    prop_assert_eq!(
                        recoded.used,
                        sample.bytes.len(),
                        "{} v{}",
                        codec.name,
                        version
                    );
                    prop_assert_eq!(
                        recoded.bytes,
                        Ok(sample.bytes),
                        "{} v{}",
                        codec.name,
                        version
                    );
                    prop_assert!(recoded.stable, "{} v{}", codec.name, version);
                    Ok(())
                })
                .unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

#[test]
fn a_message_with_nothing_set_can_be_sent_in_every_version() {
    for (codec, _) in pairs() {
        for version in codec.versions.iter() {
            let name = codec.name;
            let bytes = (codec.encode_default)(version).unwrap_or_else(|error| panic!("{error}"));
            let recoded =
                (codec.recode)(bytes.clone(), version).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(recoded.bytes.as_ref(), Ok(&bytes), "{name} v{version}");
            assert!(recoded.stable, "{name} v{version}");
        }
    }
}

#[test]
fn versions_outside_the_range_are_refused() {
    for (codec, _) in pairs() {
        for version in [
            codec.versions.min - 1,
            codec.versions.max + 1,
            i16::MIN,
            i16::MAX,
        ] {
            assert!(
                (codec.decode)(Bytes::from_static(&[0; 64]), version).is_err(),
                "{}",
                codec.name
            );
            assert!((codec.encode_default)(version).is_err(), "{}", codec.name);
        }
    }
}

#[test]
fn unknown_tagged_fields_are_skipped() {
    for (codec, schema) in pairs() {
        let version = codec.versions.max;
        if !schema.is_flexible(version) {
            continue;
        }
        // The last byte of a message without tagged fields is their count: it is replaced by two unknown ones.
        let mut bytes = (codec.encode_default)(version).unwrap().to_vec();
        assert_eq!(bytes.pop(), Some(0), "{}", codec.name);
        bytes.extend_from_slice(&[2, 0x7e, 3, 1, 2, 3, 0x80, 0x01, 0]);
        let recoded = (codec.recode)(bytes.clone().into(), version).unwrap();
        assert_eq!(recoded.used, bytes.len(), "{}", codec.name);
        assert!(recoded.stable);
    }
}

fn pairs() -> Vec<(&'static MessageCodec, &'static MessageSchema)> {
    let codecs = MessageCodec::all();
    assert_eq!(codecs.len(), MessageSchema::all().len());
    codecs
        .iter()
        .zip(MessageSchema::all())
        .inspect(|(codec, schema)| assert_eq!(codec.name, schema.name))
        .collect()
}
