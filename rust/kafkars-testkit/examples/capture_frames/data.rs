//! Producing and fetching records.

use std::iter;

use bytes::Bytes;
use kafkars_protocol::messages::fetch::{FetchPartition, FetchRequest, FetchTopic};
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use kafkars_protocol::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use kafkars_protocol::{ErrorCode, Uuid};
use kafkars_records::{BatchBuilder, Codec, Compression, Header, ProducerFields};

use crate::admin::Topic;
use crate::connection::{Connection, Outcome};

const FIRST_VERSION_WITH_TOPIC_IDS: i16 = 13;
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;

/// Produces, lists offsets and fetches, in every version.
pub(crate) fn records(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    connection.ask(|_| InitProducerIdRequest::default())?;
    let batch = batch(ProducerFields::default())?;
    let produced = connection.ask(|version| produce(version, topic, &batch, None))?;
    let partition = &produced.ok_or("no Produce")?.responses[0].partition_responses[0];
    ErrorCode::check(partition.error_code)?;
    connection.ask(|version| produce(version, &missing(), &batch, None))?;
    connection.ask(|_| ListOffsetsRequest {
        topics: vec![ListOffsetsTopic {
            name: topic.name.clone(),
            partitions: iter::zip(0.., [EARLIEST, LATEST])
                .map(|(partition_index, timestamp)| ListOffsetsPartition {
                    partition_index,
                    timestamp,
                    ..Default::default()
                })
                .collect(),
        }],
        ..Default::default()
    })?;
    connection.ask(|version| fetch(version, topic, 0))?;
    connection.ask(|version| fetch(version, topic, 1_000_000))?;
    connection.ask(|version| fetch(version, &missing(), 0))?;
    connection.ask(|_| OffsetForLeaderEpochRequest {
        replica_id: -1,
        topics: vec![OffsetForLeaderTopic {
            topic: topic.name.clone(),
            partitions: vec![OffsetForLeaderPartition {
                partition: 0,
                ..Default::default()
            }],
        }],
    })?;
    Ok(())
}

/// A batch of three records, with keys, nulls and headers.
pub(crate) fn batch(producer: ProducerFields) -> Outcome<Bytes> {
    let mut builder = BatchBuilder::new(256);
    let header = [Header {
        key: "h",
        value: Some(b"v"),
    }];
    builder.append(1_700_000_000_000, Some(b"key"), Some(b"value"), &header);
    builder.append(1_700_000_000_001, None, Some(b"no key"), &[]);
    builder.append(1_700_000_000_002, Some(b"key"), None, &[]);
    Ok(builder
        .seal(Compression::new(Codec::None, None)?, producer)?
        .bytes)
}

pub(crate) fn produce(
    version: i16,
    topic: &Topic,
    batch: &Bytes,
    transactional_id: Option<String>,
) -> ProduceRequest {
    let by_id = version >= FIRST_VERSION_WITH_TOPIC_IDS;
    ProduceRequest {
        transactional_id,
        acks: -1,
        timeout_ms: 10_000,
        topic_data: vec![TopicProduceData {
            name: if by_id {
                String::new()
            } else {
                topic.name.clone()
            },
            topic_id: if by_id { topic.id } else { Uuid::ZERO },
            partition_data: vec![PartitionProduceData {
                index: 0,
                records: Some(batch.clone()),
            }],
        }],
    }
}

/// A fetch request without a session, of committed records only.
pub(crate) fn fetch(version: i16, topic: &Topic, fetch_offset: i64) -> FetchRequest {
    FetchRequest {
        max_wait_ms: 100,
        min_bytes: 1,
        max_bytes: 2048,
        isolation_level: 1,
        topics: vec![FetchTopic {
            topic: topic.name.clone(),
            topic_id: topic.id,
            partitions: vec![FetchPartition {
                fetch_offset,
                partition_max_bytes: 600,
                ..Default::default()
            }],
        }],
        session_epoch: if version >= 7 { -1 } else { 0 },
        ..Default::default()
    }
}

/// A topic that does not exist.
fn missing() -> Topic {
    Topic {
        name: "not-there".to_owned(),
        id: Uuid([7; 16]),
    }
}
