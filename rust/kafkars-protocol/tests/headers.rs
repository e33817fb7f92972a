//! Requests and responses as frames.

use bytes::Bytes;
use kafkars_protocol::messages::api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse,
};
use kafkars_protocol::messages::fetch::{FetchRequest, FetchResponse};
use kafkars_protocol::messages::list_offsets::ListOffsetsRequest;
use kafkars_protocol::messages::produce::{
    PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData,
};
use kafkars_protocol::{
    ApiKey, DecodeErrorKind, EncodeErrorKind, LENGTH_PREFIX, Message, Reader, Request,
    decode_request_header, decode_response, encode_request, encode_response, peek_correlation_id,
};

#[test]
fn a_request_is_found_again_behind_its_header() {
    for version in FetchRequest::VERSIONS.iter() {
        let request = FetchRequest {
            max_wait_ms: 500,
            ..Default::default()
        };
        let frame = encode_request(&request, version, 77, Some("me"))
            .unwrap()
            .to_bytes();
        let length = i32::from_be_bytes(*frame.first_chunk().unwrap());
        assert_eq!(length as usize, frame.len() - LENGTH_PREFIX);

        let mut reader = Reader::new(frame.slice(LENGTH_PREFIX..));
        let header = decode_request_header(&mut reader).unwrap();
        assert_eq!(header.api_key, ApiKey::Fetch);
        assert_eq!(header.api_version, version);
        assert_eq!(header.correlation_id, 77);
        assert_eq!(header.client_id.as_deref(), Some("me"));
        assert_eq!(FetchRequest::decode(&mut reader, version), Ok(request));
        assert_eq!(reader.remaining(), 0);
    }
}

#[test]
fn a_response_is_found_again_behind_its_header() {
    for version in FetchResponse::VERSIONS.iter() {
        let response = FetchResponse {
            throttle_time_ms: 3,
            ..Default::default()
        };
        let frame = encode_response(ApiKey::Fetch, version, 78, &response)
            .unwrap()
            .to_bytes();
        let body = frame.slice(LENGTH_PREFIX..);
        assert_eq!(peek_correlation_id(&body), Ok(78));
        assert_eq!(
            decode_response::<FetchRequest>(body, version),
            Ok((78, response))
        );
    }
}

#[test]
fn the_answer_to_api_versions_has_no_tags_in_its_header() {
    let response = ApiVersionsResponse {
        api_keys: vec![ApiVersion {
            api_key: 18,
            min_version: 0,
            max_version: 4,
        }],
        ..Default::default()
    };
    let frame = encode_response(ApiKey::ApiVersions, 3, 1, &response)
        .unwrap()
        .to_bytes();
    // Length, correlation id, error code, array length, one API key with its versions and tags, throttle time, tags.
    assert_eq!(frame.len(), 4 + 4 + 2 + 1 + 7 + 4 + 1);
    let body = frame.slice(LENGTH_PREFIX..);
    assert_eq!(
        decode_response::<ApiVersionsRequest>(body, 3),
        Ok((1, response))
    );
}

#[test]
fn a_broker_reads_the_header_of_a_version_that_does_not_exist_yet() {
    let request = ApiVersionsRequest::default();
    let frame = encode_request(&request, 4, 5, None).unwrap().to_bytes();
    let mut bytes = frame[LENGTH_PREFIX..].to_vec();
    bytes[2..4].copy_from_slice(&99i16.to_be_bytes());
    let header = decode_request_header(&mut Reader::new(bytes.into())).unwrap();
    assert_eq!(
        (header.api_key, header.api_version),
        (ApiKey::ApiVersions, 99)
    );
    assert_eq!(header.client_id, None);
}

#[test]
fn an_unknown_api_key_is_an_error() {
    let error = decode_request_header(&mut Reader::new(Bytes::from_static(&[0x7f, 0xff, 0, 0])))
        .unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::UnknownApiKey(i16::MAX));
}

#[test]
fn records_leave_and_arrive_without_a_copy() {
    let records = Bytes::from(vec![9u8; 100_000]);
    let partition = PartitionProduceData {
        index: 0,
        records: Some(records.clone()),
    };
    let topic = TopicProduceData {
        name: "t".to_owned(),
        partition_data: vec![partition.clone(), partition],
        ..Default::default()
    };
    let request = ProduceRequest {
        topic_data: vec![topic],
        acks: -1,
        ..Default::default()
    };
    let frame = encode_request(&request, 9, 1, Some("me")).unwrap();
    let same = frame
        .segments()
        .iter()
        .filter(|segment| segment.as_ptr() == records.as_ptr())
        .count();
    assert_eq!(same, 2);

    let received = frame.to_bytes().slice(LENGTH_PREFIX..);
    let mut reader = Reader::new(received.clone());
    decode_request_header(&mut reader).unwrap();
    let decoded = ProduceRequest::decode(&mut reader, 9).unwrap();
    assert_eq!(decoded, request);
    let slice = decoded.topic_data[0].partition_data[0]
        .records
        .as_ref()
        .unwrap();
    assert!(received.as_ptr_range().contains(&slice.as_ptr()));
}

#[test]
fn what_matters_and_has_no_place_is_refused() {
    let request = ListOffsetsRequest {
        isolation_level: 1,
        ..Default::default()
    };
    assert!(encode_request(&request, 2, 1, None).is_ok());
    let error = encode_request(&request, 1, 1, None).unwrap_err();
    assert_eq!(
        (error.message, error.field),
        ("ListOffsetsRequest", "IsolationLevel")
    );
    assert_eq!(error.kind, EncodeErrorKind::FieldNotInVersion(1));
}

#[test]
fn what_kafka_calls_ignorable_is_left_out() {
    let response = ProduceResponse {
        throttle_time_ms: 5,
        ..Default::default()
    };
    assert!(encode_response(ApiKey::Produce, 3, 1, &response).is_ok());
    let request = FetchRequest {
        session_id: 0,
        rack_id: "r1".to_owned(),
        ..Default::default()
    };
    let old = encode_request(&request, 10, 1, None).unwrap().to_bytes();
    let new = encode_request(&request, 11, 1, None).unwrap().to_bytes();
    assert_eq!(old.len() + 4, new.len());
}

#[test]
fn null_where_the_version_has_none_is_refused() {
    use kafkars_protocol::messages::metadata::MetadataRequest;
    let all_topics = MetadataRequest {
        topics: None,
        ..Default::default()
    };
    assert!(encode_request(&all_topics, 1, 1, None).is_ok());
    let error = encode_request(&all_topics, 0, 1, None).unwrap_err();
    assert_eq!(error.kind, EncodeErrorKind::NullNotAllowed(0));
    assert_eq!(error.field, "Topics");
}

#[test]
fn bytes_behind_a_response_are_ignored() {
    let response = ProduceResponse::default();
    let frame = encode_response(ApiKey::Produce, 9, 1, &response)
        .unwrap()
        .to_bytes();
    let mut bytes = frame[LENGTH_PREFIX..].to_vec();
    bytes.push(1);
    assert!(decode_response::<ProduceRequest>(bytes.into(), 9).is_ok());
}

#[test]
fn every_api_names_itself() {
    for key in ApiKey::ALL {
        assert_eq!(ApiKey::try_from(key.as_i16()), Ok(*key));
        assert_eq!(key.to_string(), format!("{key:?}"));
        assert!(key.versions().min <= key.versions().max);
    }
    assert!(ApiKey::try_from(4).is_err());
    assert_eq!(ApiKey::Fetch.versions(), FetchRequest::VERSIONS);
    assert_eq!(FetchRequest::API_KEY, ApiKey::Fetch);
}
