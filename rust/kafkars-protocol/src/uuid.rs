//! Kafka's UUIDs.

use std::fmt;

/// The id of a topic, a log directory or a subscription. All zero means "none" to Kafka.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// The value that Kafka sends if there is no id.
    pub const ZERO: Self = Self([0; 16]);

    /// Parses the form that `Display` prints.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 16];
        let (mut bits, mut count, mut at) = (0u32, 0, 0);
        for letter in text.bytes() {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
            count += 6;
            if count >= 8 {
                count -= 8;
                *bytes.get_mut(at)? = (bits >> count) as u8;
                at += 1;
                bits &= (1 << count) - 1;
            }
        }
        (at == bytes.len() && text.len() == 22).then_some(Self(bytes))
    }

    /// True if this is [`Uuid::ZERO`].
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}

/// Prints URL-safe base64 without padding, as Kafka's own tools do.
impl fmt::Display for Uuid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut text = String::with_capacity(22);
        for group in self.0.chunks(3) {
            let mut bits = 0u32;
            for index in 0..3 {
                bits = bits << 8 | u32::from(group.get(index).copied().unwrap_or(0));
            }
            for index in 0..=group.len() {
                let letter = (bits >> (18 - 6 * index)) & 0x3f;
                text.push(char::from(ALPHABET[letter as usize]));
            }
        }
        formatter.write_str(&text)
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Uuid({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        for byte in 0..=255 {
            let uuid = Uuid(std::array::from_fn(|index| {
                byte ^ ((index as u8).wrapping_mul(37))
            }));
            assert_eq!(Uuid::parse(&uuid.to_string()), Some(uuid));
        }
        for other in [
            "",
            "AAAA",
            "AAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAA+",
        ] {
            assert_eq!(Uuid::parse(other), None, "{other}");
        }
    }

    #[test]
    fn prints_like_kafka_tools() {
        assert_eq!(Uuid::ZERO.to_string(), "AAAAAAAAAAAAAAAAAAAAAA");
        let mut bytes = [0xff; 16];
        bytes[15] = 1;
        assert_eq!(Uuid(bytes).to_string(), "____________________AQ");
    }
}
