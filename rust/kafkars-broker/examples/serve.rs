//! Runs a broker until standard input ends: `cargo run -p kafkars-broker --example serve -- --nodes 3 --topic
//! orders:3`.
//!
//! The first line of output is the bootstrap address. It is what other clients are tested against by hand.
#![expect(
    clippy::print_stdout,
    reason = "the address is the output of this program"
)]

use std::error::Error;
use std::io::{self, Read, Write};

use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};

fn main() -> Result<(), Box<dyn Error>> {
    let mut config = BrokerConfig::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--nodes" => config.nodes = value()?.parse()?,
            "--port" => config.port = value()?.parse()?,
            "--topic" => config.topics.push(topic(&value()?)?),
            "--config" => {
                let setting = value()?;
                let (name, value) = setting.split_once('=').ok_or("--config takes name=value")?;
                config
                    .topic_defaults
                    .push((name.to_owned(), value.to_owned()));
            }
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    let broker = EmbeddedBroker::start(config)?;
    println!("{}", broker.bootstrap_servers());
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    broker.stop();
    Ok(())
}

fn topic(text: &str) -> Result<NewTopic, Box<dyn Error>> {
    let (name, partitions) = text.split_once(':').unwrap_or((text, "1"));
    Ok(NewTopic::new(name, partitions.parse()?))
}
