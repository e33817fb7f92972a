//! The native parts of the faces of other libraries: their record classes, and the calls that run once per record.

pub(crate) mod aiokafka;
pub(crate) mod confluent;
pub(crate) mod kafka_python;
mod partition_tuple;
mod tuple;
