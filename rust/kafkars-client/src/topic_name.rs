//! Validity of topic names.

/// Kafka's limit: the name is part of a directory's name, before the partition number.
const LONGEST: usize = 249;

/// True if a broker would accept the name.
pub(crate) fn is_valid(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty()
        && name.len() <= LONGEST
        && name != "."
        && name != ".."
        && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn names_are_checked_as_brokers_do() {
        for name in ["a", "a.b_c-D9", "__consumer_offsets", &"x".repeat(249)] {
            assert!(is_valid(name), "{name}");
        }
        for name in ["", ".", "..", "a b", "ä", "a/b", "a:b", &"x".repeat(250)] {
            assert!(!is_valid(name), "{name}");
        }
    }
}
