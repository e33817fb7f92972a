//! Kafka record batches: reading, writing, checksums, compression
#![forbid(unsafe_code)]
