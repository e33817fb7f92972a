//! `confluent_kafka.murmur2`, `consistent` and `fnv1a`: the partition of a key, without a producer.

use kafkars_core::produce::partitioner::{crc32_partition, fnv1a_partition, murmur2_partition};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The partition of a key. `algorithm` is `murmur2`, `consistent` (CRC-32) or `fnv1a`.
#[pyfunction]
#[pyo3(signature = (algorithm, key, partitions))]
pub(crate) fn partition_of_key(algorithm: &str, key: &[u8], partitions: i64) -> PyResult<i32> {
    let buckets = u32::try_from(partitions)
        .ok()
        .filter(|count| (1..=i32::MAX as u32).contains(count))
        .ok_or_else(|| {
            PyValueError::new_err(format!(
                "partition_count must be 1 to {}, not {partitions}",
                i32::MAX
            ))
        })?;
    match algorithm {
        "murmur2" => Ok(murmur2_partition(key, buckets)),
        "consistent" => Ok(crc32_partition(key, buckets)),
        "fnv1a" => Ok(fnv1a_partition(key, buckets)),
        _ => Err(PyValueError::new_err(format!(
            "algorithm: {algorithm:?} is none of murmur2, consistent and fnv1a"
        ))),
    }
}
