//! Sends every request of a client to a real broker, in every common version, and writes the responses to a file for
//! `src/frames/`:
//!
//! `cargo run -p kafkars-testkit --example capture_frames -- 127.0.0.1:9092 4.3.1
//! rust/kafkars-testkit/src/frames/kafka-4.3.1.txt`
//!
//! The broker has to be a fresh one with a single node, as `python -m tests.kafka` starts it. Requests whose responses
//! would name paths of the machine (log directories, broker configs) are left out.

mod admin;
mod connection;
mod data;
mod groups;
mod transactions;

use std::env;
use std::error::Error;
use std::fs;

use connection::Connection;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, broker, output] = arguments.as_slice() else {
        return Err("arguments: ADDRESS BROKER-VERSION OUTPUT-FILE".into());
    };
    let mut connection = Connection::open(address)?;
    let topic = admin::topics(&mut connection)?;
    data::records(&mut connection, &topic)?;
    groups::classic(&mut connection, &topic)?;
    groups::next_generation(&mut connection, &topic)?;
    transactions::aborted(&mut connection, &topic)?;
    admin::settings(&mut connection, &topic)?;
    admin::removal(&mut connection, &topic)?;
    let mut text = format!(
        "# Answers of Apache Kafka {broker}, one KRaft node, captured by examples/capture_frames.\n\
         # API version frame-without-length-prefix-in-hex\n"
    );
    for frame in connection.frames() {
        text.push_str(frame);
        text.push('\n');
    }
    fs::write(output, text)?;
    Ok(())
}
