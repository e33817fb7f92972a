//! What a failed request means to the core's state machines, for batches and for coordinators alike.

use kafkars_core::transaction::NoAnswer;

use crate::error::AttemptError;

/// Whether bytes of the request may have reached the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    No,
    Perhaps,
}

/// Translates the failure of a request. A failure to connect never ends a producer, not even a refused login: a token
/// endpoint comes back, a password is corrected. Waiting records fail with the refusal when their time is over, which
/// is `connect_timeout` then (`kafkars_core::produce::sender::Sender::login_refused`).
pub(super) fn no_answer(error: &AttemptError, sent: Sent) -> NoAnswer {
    let cause = error.to_string().into();
    match (error, sent) {
        (
            AttemptError::Connect { .. } | AttemptError::UnknownNode(_) | AttemptError::NoTime(_),
            _,
        ) => NoAnswer::NotSent { cause },
        (AttemptError::Encode(_) | AttemptError::Unsupported { .. }, _)
        | (AttemptError::Closed, Sent::Perhaps) => NoAnswer::Impossible { cause },
        // A connection that was closed between two requests is made again. A response that cannot be decoded says no
        // more than none: its connection is closed, as nothing that follows on it can be trusted, and the next may be
        // sound.
        (
            AttemptError::Closed
            | AttemptError::Disconnected(_)
            | AttemptError::Tls(_)
            | AttemptError::TimedOut(_)
            | AttemptError::Decode(_)
            | AttemptError::FrameTooLarge { .. }
            | AttemptError::NotKafka { .. }
            | AttemptError::Protocol(_),
            sent,
        ) => match sent {
            Sent::No => NoAnswer::NotSent { cause },
            Sent::Perhaps => NoAnswer::Indefinite {
                cause,
                timed_out: matches!(error, AttemptError::TimedOut(_)),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ConnectCause, SaslFailure};

    #[test]
    fn a_refused_login_is_never_the_end() {
        let refused = AttemptError::Connect {
            address: "broker:9092".into(),
            cause: ConnectCause::Sasl(SaslFailure::Refused {
                mechanism: "PLAIN",
                message: "wrong password".into(),
            }),
        };
        assert!(!refused.retriable(), "or this tests nothing");
        for sent in [Sent::No, Sent::Perhaps] {
            let no_answer = no_answer(&refused, sent);
            assert!(
                matches!(no_answer, NoAnswer::NotSent { .. }),
                "{no_answer:?}"
            );
        }
    }
}
