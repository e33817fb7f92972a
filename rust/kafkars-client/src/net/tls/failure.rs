//! Why TLS was not agreed on.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::SecurityProblem;
use rustls::{AlertDescription, CertificateError, Error};

/// What went wrong between TCP and Kafka.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsFailure {
    /// We do not accept the broker's certificate.
    #[error("the broker's certificate ({subject}) is not accepted: {reason}")]
    Certificate {
        /// Whom it names, and who signed it.
        subject: Arc<str>,
        /// What is wrong with it, and which setting decides.
        reason: Arc<str>,
    },
    /// The broker does not accept ours, or wants one and got none.
    #[error("the broker refused our certificate ({alert}): {hint}")]
    Refused {
        /// The TLS alert that it sent.
        alert: Arc<str>,
        /// What to do about it.
        hint: &'static str,
    },
    /// The two sides share no version, cipher suite or curve.
    #[error(
        "the broker and this client agree on no way to encrypt ({0}): compare ssl_enabled_protocols and ssl_cipher_suites with the broker's"
    )]
    NoAgreement(Arc<str>),
    /// The peer answers with something else than TLS.
    #[error(
        "the port does not speak TLS: use the port of an SSL or SASL_SSL listener, or another security_protocol"
    )]
    NotTls,
    /// The peer hangs up whenever TLS is begun, and has never done otherwise.
    #[error(
        "the broker closes the connection whenever TLS is begun, as a port without TLS does: use the port of an SSL or SASL_SSL \
         listener, or another security_protocol"
    )]
    NeverAnswers,
    /// The peer hung up during the handshake.
    #[error(
        "the broker closed the connection during the TLS handshake: is it an SSL or SASL_SSL listener?"
    )]
    Closed,
    /// The peer fell silent during the handshake.
    #[error("no answer to the TLS handshake within {} ms: is it an SSL or SASL_SSL listener?", .0.as_millis())]
    TimedOut(Duration),
    /// A file with certificates or keys cannot be used.
    #[error("{setting}: {problem}")]
    Setting {
        /// Which setting names it.
        setting: &'static str,
        /// What is wrong with it.
        problem: Arc<str>,
    },
    /// Bytes that cannot stand where they do.
    #[error("TLS failed: {0}")]
    Garbled(Arc<str>),
    /// What the peer sent ended the handshake. Final when it has done so twice in a row and never otherwise.
    #[error("TLS failed{}: {problem}", if *is_repeated { ", twice in a row" } else { "" })]
    Ended {
        /// What it sent, and what to do about it.
        problem: Arc<str>,
        /// Whether it is the second time.
        is_repeated: bool,
    },
    /// Anything else.
    #[error("TLS failed: {0}")]
    Other(Arc<str>),
}

impl TlsFailure {
    /// Whether time alone cannot mend it.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Certificate { .. }
            | Self::Refused { .. }
            | Self::NoAgreement(_)
            | Self::NotTls
            | Self::NeverAnswers
            | Self::Setting { .. } => true,
            Self::Ended { is_repeated, .. } => *is_repeated,
            Self::Closed | Self::TimedOut(_) | Self::Garbled(_) | Self::Other(_) => false,
        }
    }

    /// Which kind of failure it is.
    #[must_use]
    pub fn problem(&self) -> SecurityProblem {
        match self {
            Self::Certificate { .. } | Self::Refused { .. } => SecurityProblem::Certificate,
            Self::TimedOut(_) => SecurityProblem::TimedOut,
            Self::NoAgreement(_)
            | Self::NotTls
            | Self::NeverAnswers
            | Self::Closed
            | Self::Setting { .. }
            | Self::Garbled(_)
            | Self::Ended { .. }
            | Self::Other(_) => SecurityProblem::Tls,
        }
    }

    /// What it means before the broker's first answer. Kafka 2.8 tells a client whose certificate it refuses no alert,
    /// but the bytes of its greeting again, which nobody can read there.
    pub(crate) fn before_first_answer(self) -> Self {
        match self {
            Self::Garbled(words) => Self::Refused {
                alert: words,
                hint: "brokers before 3.0 say no more than that when they refuse a client certificate or get none; see \
                       ssl_certificate_location and ssl_keystore_location, and the broker's log",
            },
            other => other,
        }
    }

    /// What an error of a TLS stream means; `None` when TLS has nothing to do with it.
    pub(crate) fn in_stream(error: &io::Error) -> Option<Self> {
        let inner = error.get_ref()?.downcast_ref::<Error>()?;
        Some(Self::from_rustls(inner))
    }

    /// What ended a handshake with a host.
    pub(crate) fn of_handshake(error: &io::Error, host: &str) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        if let Some(Error::AlertReceived(AlertDescription::UnrecognisedName)) = inner {
            return ended(format!(
                "the broker, or a proxy before it, knows no host {host:?} (UnrecognisedName): give a name that it knows in \
                 bootstrap_servers, or in the brokers' advertised.listeners"
            ));
        }
        if let Some(failure) = Self::in_stream(error) {
            return failure;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Other(error.to_string().into()),
        }
    }

    fn from_rustls(error: &Error) -> Self {
        let words: Arc<str> = error.to_string().into();
        match error {
            Error::InvalidCertificate(CertificateError::Other(other)) => {
                match other.0.downcast_ref::<Rejection>() {
                    Some(rejection) => Self::Certificate {
                        subject: Arc::clone(&rejection.subject),
                        reason: Arc::clone(&rejection.reason),
                    },
                    None => unnamed(words),
                }
            }
            Error::InvalidCertificate(_) | Error::NoCertificatesPresented => unnamed(words),
            Error::AlertReceived(alert) => from_alert(*alert),
            Error::PeerIncompatible(_) => Self::NoAgreement(words),
            Error::InvalidMessage(_) => Self::NotTls,
            Error::DecryptError
            | Error::InappropriateMessage { .. }
            | Error::InappropriateHandshakeMessage { .. } => Self::Garbled(words),
            _ => ended(words.to_string()),
        }
    }
}

fn ended(problem: String) -> TlsFailure {
    TlsFailure::Ended {
        problem: problem.into(),
        is_repeated: false,
    }
}

fn unnamed(reason: Arc<str>) -> TlsFailure {
    TlsFailure::Certificate {
        subject: "unnamed".into(),
        reason,
    }
}

fn from_alert(alert: AlertDescription) -> TlsFailure {
    let name: Arc<str> = format!("{alert:?}").into();
    let hint = match alert {
        AlertDescription::CertificateRequired | AlertDescription::NoCertificate => {
            "it wants a client certificate; set ssl_certificate_location and ssl_key_location, or ssl_keystore_location"
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA
        // Our signature does not fit an authority that has the name of ours and another key.
        | AlertDescription::DecryptError
        | AlertDescription::AccessDenied => {
            "it wants a client certificate from an authority in its own trust store; see ssl_certificate_location and ssl_keystore_location"
        }
        AlertDescription::CertificateExpired => {
            "it has expired; renew the certificate in ssl_certificate_location"
        }
        AlertDescription::CertificateRevoked => "it was revoked; ask for another one",
        AlertDescription::HandshakeFailure
        | AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity => return TlsFailure::NoAgreement(name),
        _ => {
            return ended(format!(
                "the broker, or a proxy before it, ended it ({name}); its log says why"
            ));
        }
    };
    TlsFailure::Refused { alert: name, hint }
}

/// Travels through rustls, whose own errors do not say whose certificate it was.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) subject: Arc<str>,
    pub(super) reason: Arc<str>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.subject, self.reason)
    }
}

impl std::error::Error for Rejection {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_a_refusal_before_the_first_answer_only() {
        let garbled = TlsFailure::from_rustls(&Error::DecryptError);
        assert!(!garbled.is_permanent());
        assert_eq!(garbled.problem(), SecurityProblem::Tls);
        let refused = garbled.before_first_answer();
        assert!(refused.is_permanent());
        assert_eq!(refused.problem(), SecurityProblem::Certificate);
        assert_eq!(TlsFailure::NotTls.before_first_answer(), TlsFailure::NotTls);
    }

    #[test]
    fn every_alert_about_a_certificate_is_final() {
        for alert in [
            AlertDescription::CertificateRequired,
            AlertDescription::BadCertificate,
            AlertDescription::UnsupportedCertificate,
            AlertDescription::CertificateRevoked,
            AlertDescription::CertificateExpired,
            AlertDescription::CertificateUnknown,
            AlertDescription::UnknownCA,
            AlertDescription::AccessDenied,
            AlertDescription::DecryptError,
        ] {
            let failure = from_alert(alert);
            assert!(failure.is_permanent(), "{failure}");
            assert_eq!(failure.problem(), SecurityProblem::Certificate, "{failure}");
        }
    }
}
