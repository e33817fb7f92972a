//! An in-memory Kafka broker over real TCP, for tests
#![forbid(unsafe_code)]
