//! OAUTHBEARER (RFC 7628): a token that an authorization server has signed.

use std::sync::Arc;

use kafkars_core::config::Token;
use zeroize::Zeroizing;

/// The client's message that ends the exchange after the broker has refused the token.
pub(super) const END: &[u8] = b"\x01";

/// Builds the one message. The error says why there can be none.
pub(super) fn message(
    token: &Token,
    extensions: &[(String, String)],
) -> Result<Zeroizing<Vec<u8>>, Arc<str>> {
    let value = token.value.expose();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("the token is empty, or not made of visible ASCII characters".into());
    }
    let mut message = Zeroizing::new(Vec::new());
    message.extend_from_slice(b"n,,\x01auth=Bearer ");
    message.extend_from_slice(value.as_bytes());
    message.push(1);
    for (name, value) in extensions.iter().chain(&token.extensions) {
        check_extension(name, value)?;
        message.extend_from_slice(name.as_bytes());
        message.push(b'=');
        message.extend_from_slice(value.as_bytes());
        message.push(1);
    }
    message.push(1);
    Ok(message)
}

/// Checks an extension by RFC 7628, section 3.1; Kafka reserves `auth` for the token itself.
fn check_extension(name: &str, value: &str) -> Result<(), Arc<str>> {
    let is_named =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()) && name != "auth";
    let is_text =
        |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    if !is_named || !value.bytes().all(is_text) {
        return Err(format!("the extension {name:?} breaks the rules: a name of letters other than \"auth\", and printable text").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kafkars_core::config::Secret;

    use super::*;

    fn token(value: &str) -> Token {
        Token {
            value: Secret::new(value),
            expires_at: None,
            extensions: vec![("b".to_owned(), "2 3".to_owned())],
        }
    }

    #[test]
    fn the_message_is_that_of_rfc_7628() {
        let extensions = [("a".to_owned(), "1".to_owned())];
        let message = message(&token("vF9dft4qmT"), &extensions).expect("it can be said");
        assert_eq!(
            &**message,
            b"n,,\x01auth=Bearer vF9dft4qmT\x01a=1\x01b=2 3\x01\x01"
        );
    }

    #[test]
    fn nothing_can_be_smuggled_in() {
        for bad in ["", "a b", "a\x01b", "a\nb", "ä"] {
            assert!(message(&token(bad), &[]).is_err(), "{bad:?}");
        }
        for (name, value) in [
            ("", "x"),
            ("auth", "x"),
            ("a1", "x"),
            ("a=b", "x"),
            ("a", "x\x01y"),
        ] {
            let extensions = [(name.to_owned(), value.to_owned())];
            assert!(
                message(&token("t"), &extensions).is_err(),
                "{name:?} {value:?}"
            );
        }
    }
}
