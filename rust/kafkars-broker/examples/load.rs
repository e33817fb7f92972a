//! Measures how fast a broker takes and gives batches: `load <host:port> [megabytes] [batch bytes]`.
//!
//! The program speaks the wire format and does nothing else, with batches made beforehand, so what it measures is the
//! broker, this one or any other: `serve` beside a real Kafka on the same machine.
#![expect(
    clippy::print_stdout,
    reason = "the figures are the output of this program"
)]

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use bytes::Bytes;
use kafkars_protocol::messages::create_topics::{CreatableTopic, CreateTopicsRequest};
use kafkars_protocol::messages::fetch::{FetchPartition, FetchRequest, FetchTopic};
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use kafkars_protocol::{Request, decode_response, encode_request};
use kafkars_records::{BatchBuilder, Codec, Compression, ProducerFields, batches};

/// Requests that are in flight, as many as producers have by default.
const IN_FLIGHT: usize = 5;
const PRODUCE: i16 = 12;
const FETCH: i16 = 12;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let address = arguments.first().ok_or("where is the broker?")?;
    let megabytes: usize = arguments.get(1).map_or(Ok(500), |text| text.parse())?;
    let batch_bytes: usize = arguments.get(2).map_or(Ok(16_384), |text| text.parse())?;
    for codec in [Codec::None, Codec::Lz4, Codec::Zstd] {
        let topic = format!("load-{codec}-{}", std::process::id());
        let mut wire = Wire::connect(address)?;
        create(&mut wire, &topic)?;
        let (batch, records) = batch(batch_bytes, codec)?;
        let requests = megabytes * 1_000_000 / batch_bytes;

        let started = Instant::now();
        produce(&mut wire, &topic, &batch, requests)?;
        let seconds = started.elapsed().as_secs_f64();
        report(
            &format!("produce {codec}"),
            requests * records,
            requests * batch_bytes,
            seconds,
        );

        let started = Instant::now();
        fetch(&mut wire, &topic, (requests * records) as i64)?;
        let seconds = started.elapsed().as_secs_f64();
        report(
            &format!("fetch {codec}"),
            requests * records,
            requests * batch_bytes,
            seconds,
        );
    }
    Ok(())
}

fn report(what: &str, records: usize, bytes: usize, seconds: f64) {
    let (records, bytes) = (records as f64 / seconds / 1e6, bytes as f64 / seconds / 1e6);
    println!(
        "{what:>16}: {records:6.2} million records/s, {bytes:7.0} MB/s uncompressed, {seconds:.2} s"
    );
}

/// Records of 100 bytes up to about `size` before compression.
fn batch(size: usize, codec: Codec) -> Result<(Bytes, usize), Failure> {
    let mut builder = BatchBuilder::new(size);
    let mut seed = 1_u64;
    while builder.len() + 120 < size {
        let mut value = [0_u8; 100];
        for byte in &mut value {
            // Half of the bits are random: codecs have something to do and something to gain.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = b'a' + (seed >> 60) as u8;
        }
        builder.append(1_700_000_000_000, Some(b"key"), Some(&value), &[]);
    }
    let records = builder.count() as usize;
    let sealed = builder.seal(Compression::new(codec, None)?, ProducerFields::default())?;
    Ok((sealed.bytes, records))
}

fn create(wire: &mut Wire, topic: &str) -> Result<(), Failure> {
    let wanted = CreatableTopic {
        name: topic.to_owned(),
        num_partitions: 1,
        replication_factor: 1,
        ..CreatableTopic::default()
    };
    let request = CreateTopicsRequest {
        topics: vec![wanted],
        timeout_ms: 10_000,
        validate_only: false,
    };
    let created = wire.call(&request, 5)?;
    if created.topics[0].error_code != 0 {
        return Err(format!(
            "cannot create the topic: {:?}",
            created.topics[0].error_message
        )
        .into());
    }
    let partition = ListOffsetsPartition {
        current_leader_epoch: -1,
        timestamp: -1,
        ..ListOffsetsPartition::default()
    };
    let topic = ListOffsetsTopic {
        name: topic.to_owned(),
        partitions: vec![partition],
    };
    let request = ListOffsetsRequest {
        replica_id: -1,
        topics: vec![topic],
        ..ListOffsetsRequest::default()
    };
    // A real Kafka needs a moment until the node knows that it leads.
    for _ in 0..10_000 {
        if wire.call(&request, 6)?.topics[0].partitions[0].error_code == 0 {
            return Ok(());
        }
    }
    Err("the node does not lead the topic".into())
}

fn produce(wire: &mut Wire, topic: &str, batch: &Bytes, requests: usize) -> Result<(), Failure> {
    let data = PartitionProduceData {
        index: 0,
        records: Some(batch.clone()),
    };
    let data = TopicProduceData {
        name: topic.to_owned(),
        partition_data: vec![data],
        ..TopicProduceData::default()
    };
    let request = ProduceRequest {
        transactional_id: None,
        acks: -1,
        timeout_ms: 10_000,
        topic_data: vec![data],
    };
    let (mut sent, mut answered) = (0, 0);
    while answered < requests {
        while sent < requests && sent - answered < IN_FLIGHT {
            wire.send(&request, PRODUCE)?;
            sent += 1;
        }
        let response = wire.receive::<ProduceRequest>(PRODUCE)?;
        let code = response.responses[0].partition_responses[0].error_code;
        if code != 0 {
            return Err(format!("error {code}").into());
        }
        answered += 1;
    }
    Ok(())
}

fn fetch(wire: &mut Wire, topic: &str, end: i64) -> Result<(), Failure> {
    let mut offset = 0;
    while offset < end {
        let partition = FetchPartition {
            fetch_offset: offset,
            current_leader_epoch: -1,
            last_fetched_epoch: -1,
            partition_max_bytes: 1 << 20,
            ..FetchPartition::default()
        };
        let data = FetchTopic {
            topic: topic.to_owned(),
            partitions: vec![partition],
            ..FetchTopic::default()
        };
        let request = FetchRequest {
            max_wait_ms: 500,
            min_bytes: 1,
            max_bytes: 50 << 20,
            session_epoch: -1,
            topics: vec![data],
            ..FetchRequest::default()
        };
        let mut response = wire.call(&request, FETCH)?;
        let records = response
            .responses
            .remove(0)
            .partitions
            .remove(0)
            .records
            .unwrap_or_default();
        for batch in batches(records) {
            offset = batch?.header.next_offset();
        }
    }
    Ok(())
}

struct Wire {
    stream: TcpStream,
}

impl Wire {
    fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    fn call<R: Request>(&mut self, request: &R, version: i16) -> Result<R::Response, Failure> {
        self.send(request, version)?;
        self.receive::<R>(version)
    }

    fn send<R: Request>(&mut self, request: &R, version: i16) -> Result<(), Failure> {
        for segment in encode_request(request, version, 0, Some("load"))?.segments() {
            self.stream.write_all(segment)?;
        }
        Ok(())
    }

    fn receive<R: Request>(&mut self, version: i16) -> Result<R::Response, Failure> {
        let mut prefix = [0; 4];
        self.stream.read_exact(&mut prefix)?;
        let mut frame = vec![0; u32::from_be_bytes(prefix) as usize];
        self.stream.read_exact(&mut frame)?;
        Ok(decode_response::<R>(frame.into(), version)?.1)
    }
}
