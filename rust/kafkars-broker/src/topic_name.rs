//! Kafka's rules for topic names.

use kafkars_protocol::ErrorCode;

use crate::refusal::RefusedRequest;

/// Longest legal name: room for a partition number and a suffix in a 255-byte file name.
const MAX_LENGTH: usize = 249;

/// Says what is wrong with a name, in words for a person.
pub(crate) fn check(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a topic name cannot be empty");
    }
    if name == "." || name == ".." {
        return Err("a topic name cannot be \".\" or \"..\"");
    }
    if name.len() > MAX_LENGTH {
        return Err("a topic name cannot be longer than 249 characters");
    }
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    {
        return Err("a topic name has only ASCII letters, digits, '.', '_' and '-'");
    }
    Ok(())
}

/// Refuses a name that is not legal.
pub(crate) fn require_legal(name: &str) -> Result<(), RefusedRequest> {
    check(name).map_err(|problem| RefusedRequest::new(ErrorCode::InvalidTopicException, problem))
}

/// True if two names differ only in `.` against `_`: Kafka refuses the second, since its metric names would clash.
pub(crate) fn collide(one: &str, other: &str) -> bool {
    let fold = |byte: u8| if byte == b'.' { b'_' } else { byte };
    one.len() == other.len() && one.bytes().map(fold).eq(other.bytes().map(fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_legal() {
        for name in ["a", "orders.v1", "A_b-9", &"x".repeat(249)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn odd_names_are_refused() {
        for name in ["", ".", "..", "a b", "a/b", "é", "a\0", &"x".repeat(250)] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn dots_and_underscores_collide() {
        assert!(collide("a.b", "a_b"));
        assert!(collide("a.b", "a.b"));
        assert!(!collide("a.b", "a-b"));
        assert!(!collide("a.b", "a.bc"));
    }
}
