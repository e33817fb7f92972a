//! Where the parts of a message stand.

use flate2::Crc;

/// Offset and size, before the bytes that the CRC and the size count.
pub(crate) const OVERHEAD: usize = 12;
/// The CRC stands first in a message and covers the rest of it.
pub(crate) const CRC_END: usize = OVERHEAD + 4;

/// CRC-32 (the one of gzip and Ethernet) of a message, whose bytes start with its offset and size.
pub(crate) fn message_crc(message: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(message.get(CRC_END..).unwrap_or_default());
    crc.sum()
}

/// Bytes of a message without key and value, its offset and size included.
pub(crate) fn least_size(magic: i8) -> usize {
    // CRC, magic, attributes, two lengths; magic 1 has a timestamp too.
    let timestamp = if magic == 0 { 0 } else { 8 };
    OVERHEAD + 4 + 1 + 1 + timestamp + 4 + 4
}
