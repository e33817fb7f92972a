//! Produce requests made of batches, and their responses by partition.

use std::collections::HashMap;
use std::time::Duration;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::produce::{
    PartitionProduceData, PartitionProduceResponse, ProduceRequest, ProduceResponse,
    TopicProduceData,
};
use kafkars_records::{Compression, ProducerFields, RecordsError};

use crate::config::Acks;
use crate::produce::partition_buffer::{BatchContent, OutgoingBatch};
use crate::produce::sender::InFlightBatch;
use crate::produce::sequence::Sequence;

impl OutgoingBatch {
    /// Compresses and numbers the batch, or only stamps a new number on what an earlier try compressed.
    pub fn seal(
        &mut self,
        compression: Compression,
        transactional: bool,
    ) -> Result<(), RecordsError> {
        let fields = self
            .sequence
            .map_or_else(ProducerFields::default, Sequence::producer_fields);
        let fields = ProducerFields {
            transactional,
            ..fields
        };
        let placeholder = BatchContent::Open(kafkars_records::BatchBuilder::new(0));
        self.content = match std::mem::replace(&mut self.content, placeholder) {
            BatchContent::Open(builder) => {
                self.uncompressed = builder.len();
                BatchContent::Sealed(builder.seal(compression, fields)?)
            }
            BatchContent::Sealed(mut sealed) => {
                sealed.set_sequence(fields);
                BatchContent::Sealed(sealed)
            }
        };
        Ok(())
    }
}

/// Builds the Produce request for sealed batches.
pub fn produce_request(
    batches: &[InFlightBatch],
    transactional_id: Option<String>,
    acks: Acks,
    acks_timeout: Duration,
) -> ProduceRequest {
    let mut topics: Vec<TopicProduceData> = Vec::new();
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    for in_flight in batches {
        let BatchContent::Sealed(sealed) = &in_flight.batch.content else {
            continue;
        };
        let name: &str = in_flight.buffer.topic();
        let index = *indexes.entry(name).or_insert_with(|| {
            topics.push(TopicProduceData {
                name: name.to_owned(),
                topic_id: in_flight.topic_id,
                ..TopicProduceData::default()
            });
            topics.len() - 1
        });
        topics[index].partition_data.push(PartitionProduceData {
            index: in_flight.buffer.partition(),
            records: Some(sealed.bytes.clone()),
        });
    }
    ProduceRequest {
        transactional_id,
        acks: acks.as_i16(),
        timeout_ms: i32::try_from(acks_timeout.as_millis()).unwrap_or(i32::MAX),
        topic_data: topics,
    }
}

/// A response's results by topic (name or id, whichever the version has) and partition.
pub struct Answers<'a> {
    by_name: HashMap<(&'a str, i32), &'a PartitionProduceResponse>,
    by_id: HashMap<(Uuid, i32), &'a PartitionProduceResponse>,
}

impl<'a> Answers<'a> {
    /// Indexes a response.
    pub fn new(response: &'a ProduceResponse) -> Self {
        let mut by_name = HashMap::new();
        let mut by_id = HashMap::new();
        for topic in &response.responses {
            for partition in &topic.partition_responses {
                if topic.name.is_empty() {
                    by_id.insert((topic.topic_id, partition.index), partition);
                } else {
                    by_name.insert((topic.name.as_str(), partition.index), partition);
                }
            }
        }
        Self { by_name, by_id }
    }

    /// Returns the result of one partition, if the response has it.
    pub fn find(
        &self,
        topic: &str,
        topic_id: Uuid,
        partition: i32,
    ) -> Option<&'a PartitionProduceResponse> {
        let named = self.by_name.get(&(topic, partition));
        named
            .or_else(|| self.by_id.get(&(topic_id, partition)))
            .copied()
    }
}
