//! The login of one connection: what it may send by how far it is, and who it is.
//!
//! The order is Kafka's: `ApiVersions` at most once, `SaslHandshake`, then the mechanism's messages, either in
//! `SaslAuthenticate` or, after version 0 of the handshake, bare. Anything else ends the connection. Who has logged in
//! may do so again (KIP-368).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kafkars_protocol::{ApiKey, ErrorCode};

use super::exchange::SaslExchange;
use super::login::{Directory, LoginFailure, LoginProgress};
use super::mechanism::SaslMechanism;

/// The time that an answer to a failed login takes (`connection.failed.authentication.delay.ms`).
pub(crate) const DELAY_OF_FAILURE: Duration = Duration::from_millis(100);
/// The shortest time between two logins on a connection, in ms.
const LEAST_BETWEEN_LOGINS: i64 = 1000;
/// First version of the handshake whose messages travel in `SaslAuthenticate`.
const FRAMED_SINCE: i16 = 1;

/// The settings of logins at a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SaslSettings {
    pub(crate) mechanisms: Vec<SaslMechanism>,
    /// The longest time that a login is valid (`connections.max.reauth.ms`).
    pub(crate) max_reauth: Option<Duration>,
}

/// The decision on a request, by how far the login is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    /// The request is answered with this error, and then the connection ends.
    Refused(ErrorCode),
    Closed,
}

/// A successful step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LoginStep {
    pub(crate) answer: Bytes,
    /// The time that the login is valid, in ms; 0 where it does not end, or is not there yet.
    pub(crate) lifetime_ms: i64,
}

/// The login of one connection.
pub(crate) struct SaslSession {
    settings: Arc<SaslSettings>,
    stage: LoginStage,
    login: Option<SaslLogin>,
    last_start: Option<i64>,
}

enum LoginStage {
    /// Nothing has been said.
    Fresh,
    /// The client knows which versions there are.
    VersionsTold,
    Exchanging {
        mechanism: SaslMechanism,
        exchange: SaslExchange,
        framed: bool,
    },
    LoggedIn,
    Refused,
}

struct SaslLogin {
    user: Arc<str>,
    mechanism: SaslMechanism,
    /// The time when the login ends, by the broker's clock.
    ends_at: Option<i64>,
}

impl SaslSession {
    pub(crate) fn new(settings: Arc<SaslSettings>) -> Self {
        Self {
            settings,
            stage: LoginStage::Fresh,
            login: None,
            last_start: None,
        }
    }

    /// The user who has logged in.
    pub(crate) fn user(&self) -> Option<Arc<str>> {
        self.login.as_ref().map(|login| Arc::clone(&login.user))
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.stage, LoginStage::Refused)
    }

    /// True if a mechanism's messages are awaited.
    pub(crate) fn is_exchanging(&self) -> bool {
        matches!(self.stage, LoginStage::Exchanging { .. })
    }

    /// True if the next frame is a bare message of the mechanism.
    pub(crate) fn expects_bare_message(&self) -> bool {
        matches!(self.stage, LoginStage::Exchanging { framed: false, .. })
    }

    /// Decides on a request. `is_served` is whether its version is.
    pub(crate) fn admit(&mut self, api: ApiKey, is_served: bool, now: i64) -> Gate {
        match &self.stage {
            LoginStage::Fresh if api == ApiKey::ApiVersions => {
                // Who is told that the version is too new asks again.
                if is_served {
                    self.stage = LoginStage::VersionsTold;
                }
                Gate::Open
            }
            LoginStage::Fresh | LoginStage::VersionsTold if api == ApiKey::SaslHandshake => {
                Gate::Open
            }
            LoginStage::Exchanging { framed: true, .. } => {
                if api == ApiKey::SaslAuthenticate {
                    Gate::Open
                } else {
                    self.stage = LoginStage::Refused;
                    Gate::Refused(ErrorCode::IllegalSaslState)
                }
            }
            LoginStage::LoggedIn => {
                let ends_at = self.login.as_ref().and_then(|login| login.ends_at);
                let is_over = ends_at.is_some_and(|end| end <= now);
                if is_over && api != ApiKey::SaslHandshake {
                    Gate::Closed
                } else {
                    Gate::Open
                }
            }
            _ => Gate::Closed,
        }
    }

    /// Agrees on a mechanism, at first or again. The error comes with the mechanisms that there are.
    pub(crate) fn handshake(
        &mut self,
        wanted: &str,
        version: i16,
        now: i64,
    ) -> (Option<ErrorCode>, Vec<String>) {
        let too_soon = self
            .last_start
            .is_some_and(|last| now.saturating_sub(last) < LEAST_BETWEEN_LOGINS);
        if matches!(self.stage, LoginStage::LoggedIn) && too_soon {
            return (Some(ErrorCode::IllegalSaslState), Vec::new());
        }
        let offered = self.settings.mechanisms.iter();
        let names = offered.map(|mechanism| mechanism.name().to_owned());
        let names: Vec<String> = names.collect();
        let mut mechanisms = self.settings.mechanisms.iter().copied();
        let Some(mechanism) = mechanisms.find(|known| known.name() == wanted) else {
            self.stage = LoginStage::Refused;
            return (Some(ErrorCode::UnsupportedSaslMechanism), names);
        };
        self.last_start = Some(now);
        self.stage = LoginStage::Exchanging {
            mechanism,
            exchange: SaslExchange::new(mechanism),
            framed: version >= FRAMED_SINCE,
        };
        (None, names)
    }

    /// Takes a message of the mechanism. The error is what the client is told.
    pub(crate) fn authenticate(
        &mut self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Result<LoginStep, String> {
        let LoginStage::Exchanging {
            mechanism,
            exchange,
            ..
        } = &mut self.stage
        else {
            self.stage = LoginStage::Refused;
            return Err("There is no login to go on with".to_owned());
        };
        let mechanism = *mechanism;
        let taken = exchange.take(message, directory);
        let taken = taken.and_then(|progress| match progress {
            LoginProgress::Challenge(answer) => Ok((answer, 0)),
            LoginProgress::Done {
                user,
                answer,
                ends_at,
            } => Ok((
                answer,
                self.log_in(user, mechanism, ends_at, directory.now)?,
            )),
        });
        match taken {
            Ok((answer, lifetime_ms)) => Ok(LoginStep {
                answer: answer.into(),
                lifetime_ms,
            }),
            Err(failure) => {
                self.stage = LoginStage::Refused;
                Err(failure.message(mechanism))
            }
        }
    }

    /// Notes a login, and gives how long it is valid, in ms; 0 where it does not end.
    fn log_in(
        &mut self,
        user: String,
        mechanism: SaslMechanism,
        credential_ends_at: Option<i64>,
        now: i64,
    ) -> Result<i64, LoginFailure> {
        if let Some(before) = &self.login {
            if *before.user != *user {
                return Err(LoginFailure::Reason(format!(
                    "Cannot change principals during re-authentication from User.{}: User.{user}",
                    before.user
                )));
            }
            if before.mechanism != mechanism {
                return Err(LoginFailure::Reason(format!(
                    "SASL mechanism '{}' requested by client is not supported for re-authentication of mechanism '{}'",
                    mechanism.name(),
                    before.mechanism.name()
                )));
            }
        }
        let longest = self.settings.max_reauth.filter(|limit| !limit.is_zero());
        let longest = longest.map(|limit| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX));
        let left = credential_ends_at.map(|end| end.saturating_sub(now).max(0));
        let lifetime = match (left, longest) {
            (Some(left), Some(longest)) => Some(left.min(longest)),
            (left, longest) => left.or(longest),
        };
        self.login = Some(SaslLogin {
            user: user.into(),
            mechanism,
            ends_at: lifetime.map(|lifetime| now.saturating_add(lifetime)),
        });
        self.stage = LoginStage::LoggedIn;
        Ok(lifetime.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scram::ScramCredentials;
    use crate::security::users::{Passwords, User};

    fn passwords() -> Passwords {
        let passwords = Passwords::default();
        for name in ["alice", "bob"] {
            passwords.set(&User {
                name: name.to_owned(),
                password: format!("of {name}"),
            });
        }
        passwords
    }

    fn session(max_reauth: Option<u64>) -> SaslSession {
        SaslSession::new(Arc::new(SaslSettings {
            mechanisms: vec![SaslMechanism::Plain, SaslMechanism::OAuthBearer],
            max_reauth: max_reauth.map(Duration::from_millis),
        }))
    }

    fn plain(session: &mut SaslSession, user: &str, now: i64) -> Result<LoginStep, String> {
        let passwords = passwords();
        let directory = Directory {
            passwords: &passwords,
            scram: &ScramCredentials::default(),
            now,
        };
        let message = format!("\0{user}\0of {user}");
        session.authenticate(message.as_bytes(), &directory)
    }

    #[test]
    fn only_the_steps_of_a_login_are_admitted_before_it() {
        let mut session = session(None);
        assert_eq!(session.admit(ApiKey::ApiVersions, false, 0), Gate::Open);
        assert_eq!(session.admit(ApiKey::ApiVersions, true, 0), Gate::Open);
        assert_eq!(session.admit(ApiKey::ApiVersions, true, 0), Gate::Closed);
        assert_eq!(session.admit(ApiKey::Metadata, true, 0), Gate::Closed);
        assert_eq!(
            session.admit(ApiKey::SaslAuthenticate, true, 0),
            Gate::Closed
        );
        assert_eq!(session.admit(ApiKey::SaslHandshake, true, 0), Gate::Open);
        assert_eq!(session.handshake("PLAIN", 1, 0).0, None);
        assert_eq!(session.admit(ApiKey::SaslAuthenticate, true, 0), Gate::Open);
        plain(&mut session, "alice", 0).unwrap();
        assert_eq!(session.user().as_deref(), Some("alice"));
        assert_eq!(session.admit(ApiKey::Metadata, true, 0), Gate::Open);
    }

    #[test]
    fn a_login_ends_and_is_made_anew_by_the_same_user() {
        let mut session = session(Some(5000));
        session.handshake("PLAIN", 1, 0);
        assert_eq!(plain(&mut session, "alice", 0).unwrap().lifetime_ms, 5000);
        assert_eq!(session.admit(ApiKey::Fetch, true, 4999), Gate::Open);
        assert_eq!(session.admit(ApiKey::Fetch, true, 5000), Gate::Closed);
        assert_eq!(session.admit(ApiKey::SaslHandshake, true, 5000), Gate::Open);
        let soon = session.handshake("PLAIN", 1, 500).0;
        assert_eq!(soon, Some(ErrorCode::IllegalSaslState));
        assert_eq!(session.handshake("PLAIN", 1, 5000).0, None);
        let other = session.admit(ApiKey::Fetch, true, 5000);
        assert_eq!(other, Gate::Refused(ErrorCode::IllegalSaslState));
        assert!(session.is_refused());
    }

    #[test]
    fn nobody_becomes_somebody_else() {
        let mut session = session(Some(5000));
        session.handshake("PLAIN", 1, 0);
        plain(&mut session, "alice", 0).unwrap();
        session.handshake("PLAIN", 1, 2000);
        let refused = plain(&mut session, "bob", 2000).unwrap_err();
        assert!(refused.contains("from User.alice: User.bob"), "{refused}");
        assert!(session.is_refused());
        assert_eq!(session.admit(ApiKey::Fetch, true, 2000), Gate::Closed);
    }

    #[test]
    fn an_unknown_mechanism_is_told_those_that_there_are() {
        let mut session = session(None);
        let (code, offered) = session.handshake("GSSAPI", 1, 0);
        assert_eq!(code, Some(ErrorCode::UnsupportedSaslMechanism));
        assert_eq!(offered, ["PLAIN", "OAUTHBEARER"]);
        assert!(session.is_refused());
    }

    proptest! {
        /// Whatever is sent in whatever order, nobody is let in without the right password.
        #[test]
        fn no_order_of_steps_lets_anybody_in(steps in proptest::collection::vec((0u8..5, any::<bool>(), 0i64..9000), 0..12)) {
            let mut session = session(Some(1000));
            for (step, flag, now) in steps {
                let apis = [ApiKey::ApiVersions, ApiKey::SaslHandshake, ApiKey::SaslAuthenticate, ApiKey::Fetch, ApiKey::Metadata];
                let api = apis[usize::from(step)];
                if session.admit(api, flag, now) != Gate::Open {
                    prop_assert!(session.user().is_none());
                    continue;
                }
                prop_assert!(!matches!(api, ApiKey::Fetch | ApiKey::Metadata));
                match api {
                    ApiKey::SaslHandshake => { session.handshake(if flag { "PLAIN" } else { "OAUTHBEARER" }, i16::from(flag), now); }
                    ApiKey::SaslAuthenticate => { plain(&mut session, "mallory", now).unwrap_err(); }
                    _ => {}
                }
            }
        }
    }
}
