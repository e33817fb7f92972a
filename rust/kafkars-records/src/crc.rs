//! CRC-32C, the checksum of a v2 batch from its attributes to its end.

pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

#[cfg(test)]
mod tests {
    /// The check value of the CRC-32C (Castagnoli) parameter set.
    #[test]
    fn the_polynomial_is_castagnoli() {
        assert_eq!(super::crc32c(b"123456789"), 0xe306_9283);
    }
}
