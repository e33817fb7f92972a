//! A client of a few lines, which knows the wire format and nothing else.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_protocol::messages::fetch::{
    FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData,
};
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse,
};
use kafkars_protocol::messages::produce::{
    PartitionProduceData, PartitionProduceResponse, ProduceRequest, TopicProduceData,
};
use kafkars_protocol::{Request, Uuid, decode_response, encode_request};
use kafkars_records::{BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

/// No test waits longer than this for anything.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Version of Produce and Fetch that still name topics.
pub(crate) const PRODUCE: i16 = 12;
pub(crate) const FETCH: i16 = 12;

pub(crate) fn start(config: BrokerConfig) -> EmbeddedBroker {
    EmbeddedBroker::start(config).unwrap()
}

/// One node with one topic `t` of one partition.
pub(crate) fn broker() -> EmbeddedBroker {
    start(BrokerConfig {
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    })
}

pub(crate) fn broker_with(name: &str, value: &str) -> EmbeddedBroker {
    let configs = vec![(name.to_owned(), value.to_owned())];
    let topics = vec![NewTopic {
        configs,
        ..NewTopic::new("t", 1)
    }];
    start(BrokerConfig {
        topics,
        ..BrokerConfig::default()
    })
}

pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
    correlation_id: i32,
}

impl Wire {
    pub(crate) fn to(broker: &EmbeddedBroker) -> Self {
        Self::to_node(broker, 1)
    }

    pub(crate) fn to_node(broker: &EmbeddedBroker, node: i32) -> Self {
        Self::connect(broker.address(node).unwrap())
    }

    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect_timeout(&address, TEST_TIMEOUT).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(TEST_TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            correlation_id: 0,
        }
    }

    pub(crate) fn call<R: Request>(&mut self, request: &R, version: i16) -> R::Response {
        let sent = self.send(request, version);
        let (answered, response) = self.receive::<R>(version);
        assert_eq!(answered, sent, "the answer to another request");
        response
    }

    pub(crate) fn send<R: Request>(&mut self, request: &R, version: i16) -> i32 {
        self.correlation_id += 1;
        let frame = encode_request(request, version, self.correlation_id, Some("wire")).unwrap();
        self.stream.write_all(&frame.to_bytes()).unwrap();
        self.correlation_id
    }

    pub(crate) fn receive<R: Request>(&mut self, version: i16) -> (i32, R::Response) {
        decode_response::<R>(self.receive_frame(), version).unwrap()
    }

    pub(crate) fn receive_frame(&mut self) -> Bytes {
        let mut prefix = [0; 4];
        self.stream.read_exact(&mut prefix).unwrap();
        let mut frame = vec![0; u32::from_be_bytes(prefix) as usize];
        self.stream.read_exact(&mut frame).unwrap();
        frame.into()
    }

    /// Waits for the other side to close, which it must do without another byte.
    pub(crate) fn assert_closed(&mut self) {
        match self.stream.read(&mut [0; 1]) {
            Ok(0) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            other => panic!("the connection was not closed: {other:?}"),
        }
    }

    /// True if nothing arrives for a moment.
    pub(crate) fn assert_silent(&mut self) {
        self.stream
            .set_read_timeout(Some(Duration::from_millis(50)))
            .unwrap();
        let read = self.stream.read(&mut [0; 1]);
        self.stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        let kind = read.map_err(|error| error.kind());
        assert!(
            matches!(kind, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)),
            "{kind:?}"
        );
    }

    pub(crate) fn produce(
        &mut self,
        topic: &str,
        partition: i32,
        records: Bytes,
    ) -> PartitionProduceResponse {
        let response = self.call(&produce_request(topic, partition, records), PRODUCE);
        response.responses[0].partition_responses[0].clone()
    }

    pub(crate) fn fetch(&mut self, topic: &str, partition: i32, offset: i64) -> PartitionData {
        let response = self.call(&fetch_request(topic, partition, offset), FETCH);
        assert_eq!(response.error_code, 0);
        response.responses[0].partitions[0].clone()
    }

    pub(crate) fn metadata(&mut self, topics: &[&str]) -> MetadataResponse {
        let topic = |name: &&str| MetadataRequestTopic {
            name: Some((*name).to_owned()),
            ..Default::default()
        };
        let request = MetadataRequest {
            topics: Some(topics.iter().map(topic).collect()),
            allow_auto_topic_creation: false,
            ..Default::default()
        };
        self.call(&request, 12)
    }

    pub(crate) fn topic_id(&mut self, topic: &str) -> Uuid {
        self.metadata(&[topic]).topics[0].topic_id
    }
}

pub(crate) fn produce_request(topic: &str, partition: i32, records: Bytes) -> ProduceRequest {
    let data = PartitionProduceData {
        index: partition,
        records: Some(records),
    };
    let topic = TopicProduceData {
        name: topic.to_owned(),
        partition_data: vec![data],
        ..Default::default()
    };
    ProduceRequest {
        acks: -1,
        timeout_ms: 5000,
        topic_data: vec![topic],
        ..Default::default()
    }
}

/// A fetch of one partition, without waiting or a session, and with limits out of the way.
pub(crate) fn fetch_request(topic: &str, partition: i32, offset: i64) -> FetchRequest {
    let data = FetchPartition {
        partition,
        fetch_offset: offset,
        current_leader_epoch: -1,
        last_fetched_epoch: -1,
        partition_max_bytes: 1 << 20,
        ..Default::default()
    };
    let topic = FetchTopic {
        topic: topic.to_owned(),
        partitions: vec![data],
        ..Default::default()
    };
    FetchRequest {
        max_wait_ms: 0,
        min_bytes: 1,
        max_bytes: 50 << 20,
        session_epoch: -1,
        topics: vec![topic],
        ..Default::default()
    }
}

/// The only partition of an answer to [`fetch_request`].
pub(crate) fn only(response: &FetchResponse) -> &PartitionData {
    &response.responses[0].partitions[0]
}

/// A batch with these values, the timestamps counting up from now.
pub(crate) fn batch(values: &[&str]) -> Bytes {
    batch_at(now(), values)
}

pub(crate) fn batch_at(timestamp: i64, values: &[&str]) -> Bytes {
    sealed(
        timestamp,
        values,
        Compression::default(),
        ProducerFields::default(),
    )
}

pub(crate) fn idempotent(
    producer_id: i64,
    producer_epoch: i16,
    base_sequence: i32,
    values: &[&str],
) -> Bytes {
    let producer = ProducerFields {
        producer_id,
        producer_epoch,
        base_sequence,
        transactional: false,
    };
    sealed(now(), values, Compression::default(), producer)
}

pub(crate) fn sealed(
    timestamp: i64,
    values: &[&str],
    compression: Compression,
    producer: ProducerFields,
) -> Bytes {
    let mut builder = BatchBuilder::new(0);
    for (index, value) in values.iter().enumerate() {
        builder.append(
            timestamp + index as i64,
            Some(b"key"),
            Some(value.as_bytes()),
            &[],
        );
    }
    builder.seal(compression, producer).unwrap().bytes
}

/// Gives offset and value of every record; checks each batch on the way.
pub(crate) fn read(records: &Option<Bytes>) -> Vec<(i64, String)> {
    let mut found = Vec::new();
    for raw in batches(records.clone().unwrap_or_default()) {
        let batch = raw.unwrap().open(&ReadLimits::default()).unwrap();
        for record in batch.records() {
            let value = record
                .value
                .map(|span| batch.slice(span))
                .unwrap_or_default();
            found.push((record.offset, String::from_utf8(value.to_vec()).unwrap()));
        }
    }
    found
}

pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    since.as_millis() as i64
}

/// Waits until something is true, checking often.
pub(crate) fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    while !check() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::yield_now();
    }
}
