//! Kafka client driver: sockets and timers around kafkars-core
#![forbid(unsafe_code)]
