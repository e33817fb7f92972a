//! PLAIN (RFC 4616): the name and the password in one message.

use super::login::{Directory, LoginFailure, LoginProgress};

/// Checks the one message there is, in the order and with the words of Kafka.
pub(super) fn check(
    message: &[u8],
    directory: &Directory<'_>,
) -> Result<LoginProgress, LoginFailure> {
    let message = std::str::from_utf8(message).map_err(|_| LoginFailure::InvalidCredentials)?;
    let tokens: Vec<&str> = message.splitn(4, '\0').collect();
    let [authorization, user, password] = tokens[..] else {
        return Err(LoginFailure::InvalidCredentials);
    };
    if user.is_empty() {
        return Err(LoginFailure::reason("username not specified"));
    }
    if password.is_empty() {
        return Err(LoginFailure::reason("password not specified"));
    }
    if !directory.passwords.is_right(user, password) {
        return Err(LoginFailure::reason("Invalid username or password"));
    }
    if !authorization.is_empty() && authorization != user {
        let words = "Client requested an authorization id that is different from username";
        return Err(LoginFailure::reason(words));
    }
    Ok(LoginProgress::Done {
        user: user.to_owned(),
        answer: Vec::new(),
        ends_at: None,
    })
}
