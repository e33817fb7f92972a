//! What members tell a sticky leader: their last partitions and since KIP-341 the generation of that assignment.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use kafkars_protocol::{DecodeError, EncodeError, Reader, Writer};

use super::super::strategy::LastAssignment;
use crate::config::TopicPartition;

/// The generation of user data from before KIP-341, which does not say it.
const UNKNOWN_GENERATION: i32 = -1;

pub(super) fn encode(last: &LastAssignment) -> Result<Bytes, EncodeError> {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for partition in &last.partitions {
        topics
            .entry(&partition.topic)
            .or_default()
            .push(partition.partition);
    }
    let mut writer = Writer::new();
    writer.array_len(false, "PreviousAssignment", Some(topics.len()))?;
    for (topic, partitions) in topics {
        writer.string(false, "Topic", topic)?;
        writer.array_len(false, "Partitions", Some(partitions.len()))?;
        for partition in partitions {
            writer.i32(partition);
        }
    }
    writer.i32(last.generation);
    Ok(writer.finish().to_bytes())
}

pub(super) fn decode(bytes: Bytes) -> Result<LastAssignment, DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut partitions = Vec::new();
    for _ in 0..reader
        .array_len(false, 6, "PreviousAssignment")?
        .unwrap_or(0)
    {
        let topic: Arc<str> = reader.string(false, "Topic")?.into();
        for _ in 0..reader.array_len(false, 4, "Partitions")?.unwrap_or(0) {
            partitions.push(TopicPartition {
                topic: Arc::clone(&topic),
                partition: reader.i32("Partition")?,
            });
        }
    }
    let generation = match reader.remaining() {
        0 => UNKNOWN_GENERATION,
        _ => reader.i32("Generation")?,
    };
    Ok(LastAssignment {
        partitions,
        generation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> LastAssignment {
        let partition = |topic: &str, partition| TopicPartition {
            topic: topic.into(),
            partition,
        };
        LastAssignment {
            partitions: vec![partition("a", 0), partition("a", 2), partition("b", 1)],
            generation: 7,
        }
    }

    /// The bytes that the Java client writes for this assignment.
    const BYTES: [u8; 42] = [
        0, 0, 0, 2, // topics
        0, 1, b'a', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, // a: 0, 2
        0, 1, b'b', 0, 0, 0, 1, 0, 0, 0, 1, // b: 1
        0, 0, 0, 7, // generation
        0, 0, 0, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn the_bytes_are_those_of_kip_341() {
        let bytes = encode(&last()).expect("encodes");
        assert_eq!(bytes, BYTES[..34]);
        assert_eq!(decode(bytes), Ok(last()));
    }

    #[test]
    fn data_of_before_kip_341_has_no_generation() {
        let old = Bytes::from_static(&BYTES[..30]);
        assert_eq!(decode(old).map(|last| last.generation), Ok(-1));
    }

    #[test]
    fn nonsense_is_an_error() {
        for length in 0..30 {
            assert!(
                decode(Bytes::from_static(&BYTES[..length])).is_err(),
                "{length}"
            );
        }
        assert!(decode(Bytes::from_static(&[0x7f, 0xff, 0xff, 0xff])).is_err());
    }
}
