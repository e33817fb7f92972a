//! PLAIN (RFC 4616): user name and password in clear, in one message.

use std::sync::Arc;

use zeroize::Zeroizing;

/// Builds the message. The error says why there can be none.
pub(super) fn message(username: &str, password: &str) -> Result<Zeroizing<Vec<u8>>, Arc<str>> {
    if username.is_empty() || username.contains('\0') || password.contains('\0') {
        return Err("sasl_username is empty, or it or the password holds a NUL character".into());
    }
    let mut message = Zeroizing::new(Vec::with_capacity(2 + username.len() + password.len()));
    message.push(0);
    message.extend_from_slice(username.as_bytes());
    message.push(0);
    message.extend_from_slice(password.as_bytes());
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_password_follow_an_empty_authorization_identity() {
        let message = message("tim", "tanstaaftanstaaf").expect("it can be said");
        assert_eq!(&**message, b"\0tim\0tanstaaftanstaaf"); // RFC 4616, section 4
    }

    #[test]
    fn a_nul_would_say_something_else() {
        for (username, password) in [("", "x"), ("a\0b", "x"), ("a", "x\0y")] {
            assert!(message(username, password).is_err());
        }
    }
}
