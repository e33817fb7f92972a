//! How many records a second the engine moves, without Python: `throughput BOOTSTRAP [RECORDS] [VALUE_BYTES]`.
//!
//! Prints wall and CPU time per record of producing and of consuming, CPU time being that of this process alone.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use kafkars_client::config::{
    AutoOffsetReset, ClientConfig, ConsumerConfig, ProducerConfig, TopicPartition,
};
use kafkars_client::{Client, Consumer, ProduceRecord, Producer, SendError};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let servers = arguments
        .next()
        .ok_or("usage: throughput BOOTSTRAP [RECORDS] [VALUE_BYTES]")?;
    let records: usize = arguments
        .next()
        .map_or(Ok(1_000_000), |text| text.parse())?;
    let bytes: usize = arguments.next().map_or(Ok(100), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let topic = format!("throughput-{}", std::process::id());
    let client = || -> Result<Client, Box<dyn Error>> {
        let config = ClientConfig {
            bootstrap_servers: servers.split(',').map(str::to_owned).collect(),
            ..ClientConfig::default()
        };
        Ok(Client::new(config.check()?, runtime.handle().clone()))
    };

    let producer = Producer::new(client()?, ProducerConfig::default().check()?);
    let measure = Measure::start();
    let value = vec![b'v'; bytes];
    for number in 0..records {
        let key = number.to_be_bytes();
        let record = ProduceRecord {
            topic: &topic,
            partition: Some(0),
            timestamp: None,
            key: Some(&key),
            value: Some(&value),
            headers: &[],
        };
        while let Err(error) = producer.try_send(&record) {
            match error {
                SendError::NotReady(wait) => {
                    let until = Instant::now() + producer.max_block();
                    runtime.block_on(producer.ready(wait, until))?;
                }
                SendError::Failed(error) => return Err(error.into()),
            }
        }
    }
    let left = runtime.block_on(producer.flush(Some(Instant::now() + Duration::from_secs(60))));
    measure.report("produce", records)?;
    if left > 0 {
        return Err(format!("{left} records were not acknowledged").into());
    }

    let config = ConsumerConfig {
        auto_offset_reset: AutoOffsetReset::Earliest,
        ..ConsumerConfig::default()
    };
    let consumer = Consumer::new(client()?, config.check()?);
    let measure = Measure::start();
    let partition = TopicPartition {
        topic: topic.as_str().into(),
        partition: 0,
    };
    consumer.assign(vec![(partition, None)])?;
    let mut read = 0;
    let mut value_bytes = 0;
    while read < records {
        match consumer.try_next()? {
            Some(taken) => {
                read += 1;
                value_bytes += taken.view.value.map_or(0, |span| span.len());
            }
            None => drop(consumer.wait_ready(Duration::from_secs(60))),
        }
    }
    measure.report("consume", records)?;
    if value_bytes != records * bytes {
        return Err(format!("{value_bytes} bytes came back").into());
    }
    Ok(())
}

struct Measure {
    started: Instant,
    cpu: Duration,
}

impl Measure {
    fn start() -> Self {
        Self {
            started: Instant::now(),
            cpu: cpu_time(),
        }
    }

    fn report(&self, job: &str, records: usize) -> std::io::Result<()> {
        let per_record = |time: Duration| time.as_secs_f64() * 1e6 / records as f64;
        writeln!(
            std::io::stdout(),
            "{job}: {records} records, wall {:.3} us and CPU {:.3} us a record",
            per_record(self.started.elapsed()),
            per_record(cpu_time() - self.cpu)
        )
    }
}

/// User and system time of this process, from /proc; zero where there is none.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<u64>().ok())
            .unwrap_or(0)
    };
    // Fields 14 and 15 of the line, in hundredths of a second.
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
