//! Responses of real brokers: every byte is decoded, and encoded again the same.

use std::collections::BTreeSet;

use bytes::{BufMut, BytesMut};
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::{ApiKey, ErrorCode, decode_response, peek_correlation_id};
use kafkars_testkit::codec::MessageCodec;
use kafkars_testkit::frames::{CapturedFrame, captured};

#[test]
fn answers_of_real_brokers_are_written_again_the_same() {
    for frame in captured() {
        let CapturedFrame {
            broker,
            api_key,
            version,
            bytes,
        } = frame;
        let label = format!("{api_key} v{version} of {broker}");
        let codec = MessageCodec::named(&format!("{api_key}Response")).unwrap();
        let mut header = BytesMut::new();
        header.put_i32(peek_correlation_id(&bytes).unwrap());
        if api_key.has_flexible_response_header(version) {
            header.put_u8(0);
        }
        assert!(bytes.starts_with(&header), "{label}");
        let body = bytes.slice(header.len()..);
        let recoded = (codec.recode)(body.clone(), version)
            .unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_eq!(recoded.used, body.len(), "{label}");
        assert_eq!(recoded.bytes, Ok(body), "{label}");
        assert!(recoded.stable, "{label}");
    }
}

#[test]
fn the_captures_cover_every_version_of_the_hot_path() {
    let seen: BTreeSet<(ApiKey, i16)> = captured()
        .iter()
        .map(|frame| (frame.api_key, frame.version))
        .collect();
    let hot = [
        ApiKey::Produce,
        ApiKey::Fetch,
        ApiKey::ListOffsets,
        ApiKey::Metadata,
        ApiKey::ApiVersions,
        ApiKey::FindCoordinator,
        ApiKey::JoinGroup,
        ApiKey::SyncGroup,
        ApiKey::Heartbeat,
        ApiKey::LeaveGroup,
        ApiKey::OffsetCommit,
        ApiKey::OffsetFetch,
        ApiKey::InitProducerId,
        ApiKey::CreateTopics,
        ApiKey::DeleteTopics,
    ];
    for key in hot {
        for version in key.versions().iter() {
            assert!(seen.contains(&(key, version)), "{key} v{version}");
        }
    }
}

#[test]
fn an_aborted_transaction_is_seen_in_a_fetch() {
    let aborted = captured()
        .into_iter()
        .filter(|frame| frame.api_key == ApiKey::Fetch)
        .map(|frame| {
            decode_response::<FetchRequest>(frame.bytes, frame.version)
                .unwrap()
                .1
        })
        .flat_map(|response| response.responses)
        .flat_map(|topic| topic.partitions)
        .filter(|partition| {
            partition
                .aborted_transactions
                .as_ref()
                .is_some_and(|list| !list.is_empty())
        })
        .filter(|partition| {
            partition
                .records
                .as_ref()
                .is_some_and(|records| !records.is_empty())
        })
        .count();
    assert!(aborted >= 2 * 14, "{aborted}");
}

#[test]
fn errors_in_answers_have_names() {
    let codes: BTreeSet<&str> = captured()
        .into_iter()
        .filter(|frame| frame.api_key == ApiKey::Metadata)
        .map(|frame| {
            decode_response::<MetadataRequest>(frame.bytes, frame.version)
                .unwrap()
                .1
        })
        .flat_map(|response| response.topics)
        .map(|topic| ErrorCode::from_i16(topic.error_code).name())
        .collect();
    assert!(codes.contains("NONE"), "{codes:?}");
    assert!(
        codes.iter().all(|name| *name != "UNKNOWN_ERROR_CODE"),
        "{codes:?}"
    );
}
