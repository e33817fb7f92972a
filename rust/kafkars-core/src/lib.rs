//! Kafka client decisions without I/O or clock
#![forbid(unsafe_code)]
