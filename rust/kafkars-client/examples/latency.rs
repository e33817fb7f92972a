//! Time from send to receipt at a fixed rate, beside two blocking sockets that speak the same requests:
//! `latency BOOTSTRAP [RECORDS] [MICROSECONDS_BETWEEN]`.
//!
//! Each record carries the instant at which it was due, so a late sender counts as latency too.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_client::config::{ClientConfig, ConsumerConfig, ProducerConfig, TopicPartition};
use kafkars_client::{Client, Consumer, ProduceRecord, Producer, SendError};
use kafkars_protocol::messages::fetch::{FetchPartition, FetchRequest, FetchResponse, FetchTopic};
use kafkars_protocol::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use kafkars_protocol::{Request, decode_response, encode_request};
use kafkars_records::{BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The last versions that name topics by their names rather than by topic ids.
const PRODUCE_VERSION: i16 = 9;
const FETCH_VERSION: i16 = 12;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let servers = arguments
        .next()
        .ok_or("usage: latency BOOTSTRAP [RECORDS] [MICROSECONDS]")?;
    let records: usize = arguments.next().map_or(Ok(2_000), |text| text.parse())?;
    let gap = Duration::from_micros(arguments.next().map_or(Ok(2_000), |text| text.parse())?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let config = ClientConfig {
        bootstrap_servers: servers.split(',').map(str::to_owned).collect(),
        ..ClientConfig::default()
    };
    let client = || -> Outcome<Client> {
        Ok(Client::new(
            config.clone().check()?,
            runtime.handle().clone(),
        ))
    };
    for round in 0..3 {
        let topic = format!("latency-{}-{round}", std::process::id());
        let deadline = Instant::now() + Duration::from_secs(30);
        runtime.block_on(client()?.topic(&topic, deadline))?;
        report("bare sockets", sockets(&servers, &topic, records, gap)?)?;
        let topic = format!("{topic}-kafkars");
        let config = ProducerConfig {
            linger: Duration::ZERO,
            enable_idempotence: false,
            ..ProducerConfig::default()
        };
        let producer = Producer::new(client()?, config.check()?);
        runtime.block_on(producer.partitions_for(&topic, deadline))?;
        let consumer = Consumer::new(client()?, ConsumerConfig::default().check()?);
        let partition = TopicPartition {
            topic: topic.as_str().into(),
            partition: 0,
        };
        consumer.assign(vec![(
            partition,
            Some(kafkars_client::FetchPosition::at(0)),
        )])?;
        report(
            "kafkars",
            engine(&producer, &consumer, &topic, records, gap)?,
        )?;
    }
    Ok(())
}

/// Calls `send` at `start + gap * n` on this thread, and `receive` on another.
#[expect(
    clippy::disallowed_methods,
    reason = "this thread does nothing but keep the rate"
)]
fn paced(
    records: usize,
    gap: Duration,
    mut send: impl FnMut(&[u8]) -> Outcome<()>,
    receive: impl FnOnce(Instant) -> Outcome<Vec<Duration>> + Send,
) -> Outcome<Vec<Duration>> {
    let start = Instant::now() + Duration::from_millis(50);
    std::thread::scope(|scope| {
        let receiver = scope.spawn(move || receive(start));
        for number in 0..records {
            let due = gap * u32::try_from(number)?;
            while start.elapsed() < due || Instant::now() < start {
                let left = (start + due).saturating_duration_since(Instant::now());
                std::thread::sleep(left);
            }
            let mut value = [0; 100];
            value[..8].copy_from_slice(&u64::try_from(due.as_nanos())?.to_be_bytes());
            send(&value)?;
        }
        receiver.join().map_err(|_| "the receiver panicked")?
    })
}

fn latency(start: Instant, value: &[u8]) -> Outcome<Duration> {
    let due = Duration::from_nanos(u64::from_be_bytes(value[..8].try_into()?));
    Ok(start.elapsed().saturating_sub(due))
}

fn engine(
    producer: &Producer,
    consumer: &Consumer,
    topic: &str,
    records: usize,
    gap: Duration,
) -> Outcome<Vec<Duration>> {
    let send = |value: &[u8]| {
        let record = ProduceRecord {
            topic,
            partition: Some(0),
            timestamp: None,
            key: None,
            value: Some(value),
            headers: &[],
        };
        match producer.try_send(&record) {
            Ok(_) => Ok(()),
            Err(SendError::Failed(error)) => Err(error.into()),
            Err(SendError::NotReady(_)) => Err("the producer was not ready".into()),
        }
    };
    paced(records, gap, send, |start| {
        let mut latencies = Vec::new();
        while latencies.len() < records {
            match consumer.try_next()? {
                Some(taken) => {
                    let span = taken.view.value.ok_or("a value is missing")?;
                    latencies.push(latency(start, taken.batch.batch.slice(span))?);
                }
                None => drop(consumer.wait_ready(Duration::from_secs(10))),
            }
        }
        Ok(latencies)
    })
}

fn sockets(servers: &str, topic: &str, records: usize, gap: Duration) -> Outcome<Vec<Duration>> {
    let address = servers.split(',').next().unwrap_or(servers);
    let mut produce = connect(address)?;
    let mut fetch = connect(address)?;
    let send = |value: &[u8]| {
        let mut builder = BatchBuilder::new(256);
        builder.append(0, None, Some(value), &[]);
        let sealed = builder.seal(Compression::default(), ProducerFields::default())?;
        let request = ProduceRequest {
            acks: -1,
            timeout_ms: 30_000,
            topic_data: vec![TopicProduceData {
                name: topic.to_owned(),
                partition_data: vec![PartitionProduceData {
                    index: 0,
                    records: Some(sealed.bytes),
                }],
                ..TopicProduceData::default()
            }],
            ..ProduceRequest::default()
        };
        call(&mut produce, &request, PRODUCE_VERSION).map(drop)
    };
    let receive = |start| {
        let mut latencies = Vec::new();
        let mut offset = 0;
        while latencies.len() < records {
            let request = FetchRequest {
                replica_id: -1,
                max_wait_ms: 500,
                min_bytes: 1,
                max_bytes: 50 << 20,
                session_epoch: -1,
                topics: vec![FetchTopic {
                    topic: topic.to_owned(),
                    partitions: vec![FetchPartition {
                        fetch_offset: offset,
                        partition_max_bytes: 1 << 20,
                        current_leader_epoch: -1,
                        last_fetched_epoch: -1,
                        log_start_offset: -1,
                        ..FetchPartition::default()
                    }],
                    ..FetchTopic::default()
                }],
                ..FetchRequest::default()
            };
            let response: FetchResponse = call(&mut fetch, &request, FETCH_VERSION)?;
            for partition in response
                .responses
                .iter()
                .flat_map(|topic| &topic.partitions)
            {
                for raw in batches(partition.records.clone().unwrap_or_default()) {
                    let batch = raw?.open(&ReadLimits::default())?;
                    for record in batch.records() {
                        offset = record.offset + 1;
                        let span = record.value.ok_or("a value is missing")?;
                        latencies.push(latency(start, batch.slice(span))?);
                    }
                }
            }
        }
        Ok(latencies)
    };
    paced(records, gap, send, receive)
}

fn connect(address: &str) -> Outcome<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn call<R: Request>(stream: &mut TcpStream, request: &R, version: i16) -> Outcome<R::Response> {
    let frame = encode_request(request, version, 1, Some("latency"))?;
    stream.write_all(&frame.to_bytes())?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; usize::try_from(i32::from_be_bytes(length))?];
    stream.read_exact(&mut answer)?;
    Ok(decode_response::<R>(Bytes::from(answer), version)?.1)
}

fn report(name: &str, mut latencies: Vec<Duration>) -> Outcome<()> {
    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_micros();
    writeln!(
        std::io::stdout(),
        "{name:13} p50 {:5} us  p90 {:5} us  p99 {:6} us  max {:6} us",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    )?;
    Ok(())
}
