//! OAUTHBEARER (RFC 7628) with tokens that nobody has signed, as Kafka takes them for tests (`unsecured` JWS, RFC
//! 7515).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::Value;

use super::login::{Directory, LoginFailure, LoginProgress};
use super::sasl_name::sasl_name;

/// The byte before and behind every attribute.
const SEPARATOR: char = '\u{1}';
/// The answer to a token that is not taken; the client gives up after it.
const REFUSAL: &str = "{\"status\":\"invalid_token\"}";

/// One login.
#[derive(Debug, Default)]
pub(crate) struct OAuthBearer {
    is_refused: bool,
}

impl OAuthBearer {
    pub(super) fn take(
        &mut self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Result<LoginProgress, LoginFailure> {
        if self.is_refused {
            // The client has seen why, and says so with one byte.
            let words = LoginFailure::Reason(REFUSAL.to_owned());
            return Err(match message {
                [1] => words,
                _ => LoginFailure::InvalidCredentials,
            });
        }
        let message = std::str::from_utf8(message).map_err(|_| LoginFailure::InvalidCredentials)?;
        let (authorization, token) = read(message).ok_or(LoginFailure::InvalidCredentials)?;
        let Some((user, ends_at)) = check(token, directory.now) else {
            self.is_refused = true;
            return Ok(LoginProgress::Challenge(REFUSAL.as_bytes().to_vec()));
        };
        if authorization.is_some_and(|name| name != user) {
            let words = "Client requested an authorization id that is different from the token's principal name";
            return Err(LoginFailure::reason(words));
        }
        Ok(LoginProgress::Done {
            user,
            answer: Vec::new(),
            ends_at: Some(ends_at),
        })
    }
}

/// Reads who the client wants to be, where it says so, and its token.
fn read(message: &str) -> Option<(Option<String>, &str)> {
    let (authorization, attributes) = message.strip_prefix("n,")?.split_once(',')?;
    let authorization = match authorization {
        "" => None,
        given => Some(sasl_name(given.strip_prefix("a=")?)?),
    };
    let attributes = attributes.strip_prefix(SEPARATOR)?;
    let attributes = attributes.strip_suffix(SEPARATOR)?;
    let mut attributes = attributes.split_terminator(SEPARATOR);
    let auth = attributes.find_map(|attribute| attribute.strip_prefix("auth="))?;
    let (scheme, token) = auth.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then_some((authorization, token.trim()))
}

/// Checks a token: gives its user and when it ends, in ms since 1970; none if it is not taken.
fn check(token: &str, now: i64) -> Option<(String, i64)> {
    let mut parts = token.split('.');
    let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !signature.is_empty() {
        return None;
    }
    if object(header)?.get("alg")?.as_str()? != "none" {
        return None;
    }
    let claims = object(claims)?;
    let user = claims.get("sub")?.as_str()?;
    let ends_at = milliseconds(claims.get("exp")?)?;
    if let Some(issued) = claims.get("iat")
        && milliseconds(issued)? > now
    {
        return None;
    }
    (!user.is_empty() && ends_at > now).then(|| (user.to_owned(), ends_at))
}

fn object(part: &str) -> Option<Value> {
    let bytes = BASE64.decode(part.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Seconds since 1970, with or without a fraction, as milliseconds.
fn milliseconds(seconds: &Value) -> Option<i64> {
    let milliseconds = seconds.as_f64()? * 1000.0;
    // What is beyond the range becomes its end.
    milliseconds.is_finite().then_some(milliseconds as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scram::ScramCredentials;
    use crate::security::users::Passwords;

    const NOW: i64 = 1_700_000_000_000;

    fn token(header: &str, claims: &str, signature: &str) -> String {
        format!(
            "{}.{}.{signature}",
            BASE64.encode(header),
            BASE64.encode(claims)
        )
    }

    fn log_in(message: &[u8]) -> Result<LoginProgress, LoginFailure> {
        let (passwords, scram) = (Passwords::default(), ScramCredentials::default());
        let directory = Directory {
            passwords: &passwords,
            scram: &scram,
            now: NOW,
        };
        OAuthBearer::default().take(message, &directory)
    }

    fn with(token: &str) -> Result<LoginProgress, LoginFailure> {
        log_in(format!("n,,\u{1}auth=Bearer {token}\u{1}\u{1}").as_bytes())
    }

    #[test]
    fn a_token_says_who_and_until_when() {
        let none = "{\"alg\":\"none\"}";
        let good = token(none, "{\"sub\":\"alice\",\"exp\":1700000060.5}", "");
        let Ok(LoginProgress::Done { user, ends_at, .. }) = with(&good) else {
            panic!("refused");
        };
        assert_eq!((user.as_str(), ends_at), ("alice", Some(NOW + 60_500)));
        for refused in [
            token(none, "{\"sub\":\"alice\",\"exp\":1700000000}", ""),
            token(none, "{\"sub\":\"alice\"}", ""),
            token(none, "{\"exp\":1800000000}", ""),
            token(
                none,
                "{\"sub\":\"alice\",\"exp\":1800000000,\"iat\":1700000001}",
                "",
            ),
            token(
                "{\"alg\":\"RS256\"}",
                "{\"sub\":\"alice\",\"exp\":1800000000}",
                "",
            ),
            token(none, "{\"sub\":\"alice\",\"exp\":1800000000}", "AAAA"),
            "no token".to_owned(),
        ] {
            assert!(
                matches!(with(&refused), Ok(LoginProgress::Challenge(_))),
                "{refused}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_message_is_a_panic_or_a_login(bytes in proptest::collection::vec(any::<u8>(), 0..80), claims in ".{0,40}") {
            let outcome = log_in(&bytes);
            let accepted = matches!(outcome, Ok(LoginProgress::Done { .. }));
            prop_assert!(!accepted);
            let outcome = with(&token("{\"alg\":\"none\"}", &claims, ""));
            let accepted = matches!(outcome, Ok(LoginProgress::Done { .. }));
            prop_assert!(!accepted);
        }
    }
}
