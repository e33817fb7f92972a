//! Responses of real brokers, byte for byte.
//!
//! Each file beside this one comes from one broker version; `examples/capture_frames` writes them.

use bytes::Bytes;
use kafkars_protocol::ApiKey;

const FILES: [(&str, &str); 2] = [
    ("Apache Kafka 3.9.1", include_str!("kafka-3.9.1.txt")),
    ("Apache Kafka 4.3.1", include_str!("kafka-4.3.1.txt")),
];

/// A response of a real broker.
#[derive(Clone, Debug)]
pub struct CapturedFrame {
    /// The broker's name and version.
    pub broker: &'static str,
    /// The API of the request.
    pub api_key: ApiKey,
    /// The version of the request.
    pub version: i16,
    /// Header and body, without the length prefix.
    pub bytes: Bytes,
}

/// All captured responses, in the order of their requests.
#[must_use]
pub fn captured() -> Vec<CapturedFrame> {
    FILES
        .iter()
        .flat_map(|(broker, text)| {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.map(|line| parse(broker, line).expect("captured frames are well-formed"))
        })
        .collect()
}

fn parse(broker: &'static str, line: &str) -> Option<CapturedFrame> {
    let mut words = line.split(' ');
    let (name, version, hex) = (words.next()?, words.next()?, words.next()?);
    let api_key = *ApiKey::ALL.iter().find(|key| key.name() == name)?;
    let bytes: Option<Vec<u8>> = (0..hex.len() / 2)
        .map(|index| u8::from_str_radix(hex.get(2 * index..2 * index + 2)?, 16).ok())
        .collect();
    Some(CapturedFrame {
        broker,
        api_key,
        version: version.parse().ok()?,
        bytes: bytes?.into(),
    })
}
