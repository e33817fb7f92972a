//! Names as SCRAM and OAUTHBEARER write them.

/// Reads a name as it stands in messages of SCRAM and OAUTHBEARER (RFC 5801): `,` and `=` are written as `=2C` and
/// `=3D`.
pub(super) fn sasl_name(text: &str) -> Option<String> {
    let mut parts = text.split('=');
    let mut name = parts.next()?.to_owned();
    for part in parts {
        let (character, rest) = match part.get(..2)? {
            "2C" => (',', part.get(2..)?),
            "3D" => ('=', part.get(2..)?),
            _ => return None,
        };
        name.push(character);
        name.push_str(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_the_way_they_are_written() {
        assert_eq!(sasl_name("alice").as_deref(), Some("alice"));
        assert_eq!(sasl_name("a=2Cb=3D=2C").as_deref(), Some("a,b=,"));
        for wrong in ["a=", "a=2", "a=2c", "a=é"] {
            assert_eq!(sasl_name(wrong), None, "{wrong}");
        }
    }
}
