//! Layout of messages of magic 0 and 1.

use flate2::Crc;

/// Length of the offset and the size before a message, which neither the CRC nor the size covers.
pub(crate) const OVERHEAD: usize = 12;
/// End of the CRC, which comes first in a message and covers the rest of it.
pub(crate) const CRC_END: usize = OVERHEAD + 4;

/// CRC-32 (as in gzip and Ethernet) of a message; `message` begins with its offset and size.
pub(crate) fn message_crc(message: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(message.get(CRC_END..).unwrap_or_default());
    crc.sum()
}

/// Length of a message without key and value, its offset and size included.
pub(crate) fn least_size(magic: i8) -> usize {
    // CRC, magic, attributes, two lengths; magic 1 has a timestamp too.
    let timestamp = if magic == 0 { 0 } else { 8 };
    OVERHEAD + 4 + 1 + 1 + timestamp + 4 + 4
}
