//! Comparison byte for byte with another implementation, for every API and version that both have.
//!
//! The bytes are made from the schemas. Both sides decode them and encode them again; all three have to be equal, so
//! each side can decode what the other encodes.

use std::collections::BTreeMap;
use std::error::Error;

use bytes::{Bytes, BytesMut};
use kafka_protocol::ResponseError;
use kafka_protocol::messages as theirs;
use kafka_protocol::protocol::{Decodable, Encodable, Message as _};
use kafkars_protocol::{ErrorCode, VersionRange};
use kafkars_testkit::codec::MessageCodec;
use kafkars_testkit::entropy::Entropy;
use kafkars_testkit::sample::Sample;
use kafkars_testkit::schema::MessageSchema;

/// How many messages are compared for each message type and version.
const SAMPLES: u64 = 16;

#[test]
fn both_sides_write_the_same_bytes() {
    let mut compared = 0;
    let mut ours_only = BTreeMap::new();
    for (codec, schema) in MessageCodec::all().iter().zip(MessageSchema::all()) {
        let Some(oracle) = Oracle::of(schema) else {
            ours_only.insert(codec.name, codec.versions);
            continue;
        };
        for version in codec.versions.iter() {
            if !oracle.knows(version) {
                ours_only.insert(
                    codec.name,
                    VersionRange {
                        min: version,
                        max: version,
                    },
                );
                continue;
            }
            compared += 1;
            for seed in 0..SAMPLES {
                let label = format!("{} v{version}, seed {seed}", codec.name);
                let sample = Sample::new(schema, version, &mut Entropy::from_seed(seed)).bytes;
                let theirs = oracle.recode(&sample, version);
                assert_eq!(
                    theirs.as_ref().map_err(|error| error.to_string()),
                    Ok(&sample),
                    "{label}"
                );
                let recoded = (codec.recode)(sample.clone(), version)
                    .unwrap_or_else(|error| panic!("{label}: {error}"));
                assert_eq!(recoded.bytes, Ok(sample), "{label}");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn every_default_is_theirs() {
    for (codec, schema) in MessageCodec::all().iter().zip(MessageSchema::all()) {
        let Some(oracle) = Oracle::of(schema) else {
            continue;
        };
        for version in codec
            .versions
            .iter()
            .filter(|version| oracle.knows(*version))
        {
            let ours = (codec.encode_default)(version).unwrap_or_else(|error| panic!("{error}"));
            let theirs = oracle.recode(&ours, version);
            assert_eq!(
                theirs.as_ref().map_err(|error| error.to_string()),
                Ok(&ours),
                "{} v{version}",
                codec.name
            );
        }
    }
}

#[test]
fn errors_are_named_and_classified_as_elsewhere() {
    for ours in ErrorCode::ALL
        .iter()
        .filter(|error| **error != ErrorCode::None)
    {
        let theirs = ResponseError::try_from_code(ours.code()).unwrap();
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        // Kafka 4.3 calls this one retriable; the other table is older.
        if *ours != ErrorCode::ConcurrentTransactions {
            assert_eq!(ours.retriable(), theirs.is_retriable(), "{ours}");
        }
    }
}

/// The other implementation's decoder and encoder of one message.
struct Oracle {
    kind: OracleKind,
    versions: VersionRange,
}

enum OracleKind {
    Request(theirs::ApiKey),
    Response(theirs::ApiKey),
    Subscription,
    Assignment,
}

impl Oracle {
    fn of(schema: &MessageSchema) -> Option<Self> {
        let (kind, range) = match schema.api_key {
            Some(number) => {
                let key = theirs::ApiKey::try_from(number).ok()?;
                let request = schema.name.ends_with("Request");
                let kind = if request {
                    OracleKind::Request(key)
                } else {
                    OracleKind::Response(key)
                };
                (kind, key.valid_versions())
            }
            None if schema.name == "ConsumerProtocolSubscription" => (
                OracleKind::Subscription,
                theirs::ConsumerProtocolSubscription::VERSIONS,
            ),
            None => (
                OracleKind::Assignment,
                theirs::ConsumerProtocolAssignment::VERSIONS,
            ),
        };
        let versions = VersionRange {
            min: range.min,
            max: range.max,
        };
        Some(Self { kind, versions })
    }

    /// Its table of versions claims more than its messages support, so the messages decide.
    fn knows(&self, version: i16) -> bool {
        self.versions.contains(version)
            && self
                .recode(&Bytes::new(), version)
                .err()
                .is_none_or(|error| !format!("{error:?}").contains("version not supported"))
    }

    fn recode(&self, bytes: &Bytes, version: i16) -> Result<Bytes, Box<dyn Error>> {
        let mut input = bytes.clone();
        let mut output = BytesMut::new();
        match self.kind {
            OracleKind::Request(key) => {
                theirs::RequestKind::decode(key, &mut input, version)?
                    .encode(&mut output, version)?;
            }
            OracleKind::Response(key) => {
                theirs::ResponseKind::decode(key, &mut input, version)?
                    .encode(&mut output, version)?;
            }
            OracleKind::Subscription => {
                theirs::ConsumerProtocolSubscription::decode(&mut input, version)?
                    .encode(&mut output, version)?;
            }
            OracleKind::Assignment => {
                theirs::ConsumerProtocolAssignment::decode(&mut input, version)?
                    .encode(&mut output, version)?;
            }
        }
        if !input.is_empty() {
            return Err(format!("{} bytes are left", input.len()).into());
        }
        Ok(output.freeze())
    }
}
