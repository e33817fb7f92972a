//! SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677): both sides prove that they know the password, and neither
//! sends it.
//!
//! It is a state machine without I/O: each message of the broker goes in, the next one of the client comes out.

use std::num::NonZeroU32;

use aws_lc_rs::{digest, hmac, pbkdf2, rand};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use kafkars_core::config::{ScramHash, Secret};
use zeroize::Zeroizing;

/// The fewest iterations accepted, as RFC 7677 demands: fewer make a stolen verifier cheap to guess.
const LEAST_ITERATIONS: u32 = 4096;

/// The most iterations accepted; more would let a hostile broker keep this machine busy. Kafka itself allows 16,384.
const MOST_ITERATIONS: u32 = 100_000;

/// Random bytes in the client's nonce.
const NONCE_BYTES: usize = 24;

/// The longest salt accepted, in bytes; those of brokers have about 20.
const LONGEST_SALT: usize = 1024;

/// The GS2 header: channel binding is not supported, and the broker's answer must not change that.
const GS2_HEADER: &str = "n,,";

/// One authentication.
pub(super) struct Scram {
    hash: ScramHash,
    nonce: String,
    client_first_bare: String,
    password: Secret,
    state: ScramState,
}

enum ScramState {
    AwaitsFirst,
    AwaitsFinal(Zeroizing<Vec<u8>>),
    Done,
}

/// Why the broker's message is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScramError {
    #[error("its message cannot be read")]
    Malformed,
    #[error("its nonce does not begin with ours")]
    Nonce,
    #[error("{0} iterations are not between {LEAST_ITERATIONS} and {MOST_ITERATIONS}")]
    Iterations(u64),
    #[error("its signature is wrong: it does not know the password")]
    Signature,
    #[error("it says {0:?}")]
    Refused(String),
    #[error("it went on after the end")]
    AfterEnd,
    #[error("the system gives no random numbers")]
    Random,
}

impl Scram {
    /// Makes an exchange with a fresh nonce.
    pub(super) fn new(
        hash: ScramHash,
        username: &str,
        password: Secret,
    ) -> Result<Self, ScramError> {
        let mut random = [0; NONCE_BYTES];
        rand::fill(&mut random).map_err(|_| ScramError::Random)?;
        Ok(Self::with_nonce(
            hash,
            username,
            password,
            BASE64.encode(random),
        ))
    }

    fn with_nonce(hash: ScramHash, username: &str, password: Secret, nonce: String) -> Self {
        let username = username.replace('=', "=3D").replace(',', "=2C");
        Self {
            hash,
            client_first_bare: format!("n={username},r={nonce}"),
            nonce,
            password,
            state: ScramState::AwaitsFirst,
        }
    }

    /// The client's first message.
    pub(super) fn first(&self) -> Vec<u8> {
        format!("{GS2_HEADER}{}", self.client_first_bare).into_bytes()
    }

    /// The client's answer to a message of the broker; `None` if both sides have proved that they know the password.
    pub(super) fn answer(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, ScramError> {
        let message = std::str::from_utf8(message).map_err(|_| ScramError::Malformed)?;
        match std::mem::replace(&mut self.state, ScramState::Done) {
            ScramState::AwaitsFirst => {
                let (answer, signature) = self.prove(message)?;
                self.state = ScramState::AwaitsFinal(signature);
                Ok(Some(answer))
            }
            ScramState::AwaitsFinal(signature) => {
                self.check_final(message, &signature)?;
                Ok(None)
            }
            ScramState::Done => Err(ScramError::AfterEnd),
        }
    }

    /// True if the exchange is complete.
    #[cfg(test)]
    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, ScramState::Done)
    }

    fn prove(&self, server_first: &str) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>), ScramError> {
        let mut parts = server_first.split(',');
        let mut part = |name: &str| {
            let part = parts.next().ok_or(ScramError::Malformed)?;
            // An error, or an extension that must be understood, is not expected here either.
            part.strip_prefix(name).ok_or_else(|| refusal(part))
        };
        let nonce = part("r=")?;
        let salt = part("s=")?;
        let iterations = part("i=")?;
        if nonce.len() <= self.nonce.len() || !nonce.starts_with(&self.nonce) {
            return Err(ScramError::Nonce);
        }
        let salt = BASE64.decode(salt).map_err(|_| ScramError::Malformed)?;
        if salt.is_empty() || salt.len() > LONGEST_SALT {
            return Err(ScramError::Malformed);
        }
        let iterations: u64 = iterations.parse().map_err(|_| ScramError::Malformed)?;
        let allowed = u64::from(LEAST_ITERATIONS)..=u64::from(MOST_ITERATIONS);
        let count = u32::try_from(iterations).ok().and_then(NonZeroU32::new);
        let Some(count) = count.filter(|_| allowed.contains(&iterations)) else {
            return Err(ScramError::Iterations(iterations));
        };

        let password = self.password.expose().as_bytes();
        let salted = salted_password(self.hash, password, &salt, count);
        let client_key = self.hmac(&salted, b"Client Key");
        let stored_key = digest::digest(self.digest(), &client_key);
        let binding = BASE64.encode(GS2_HEADER);
        let without_proof = format!("c={binding},r={nonce}");
        let signed = format!("{},{server_first},{without_proof}", self.client_first_bare);
        let client_signature = self.hmac(stored_key.as_ref(), signed.as_bytes());
        let mut proof = client_key;
        for (byte, other) in proof.iter_mut().zip(client_signature.iter()) {
            *byte ^= other;
        }
        let server_key = self.hmac(&salted, b"Server Key");
        let server_signature = self.hmac(&server_key, signed.as_bytes());
        let answer = format!("{without_proof},p={}", BASE64.encode(&*proof));
        Ok((answer.into_bytes(), server_signature))
    }

    fn check_final(&self, server_final: &str, expected: &[u8]) -> Result<(), ScramError> {
        let first = server_final.split(',').next().unwrap_or_default();
        let given = first.strip_prefix("v=").ok_or_else(|| refusal(first))?;
        let given = BASE64.decode(given).map_err(|_| ScramError::Malformed)?;
        aws_lc_rs::constant_time::verify_slices_are_equal(&given, expected)
            .map_err(|_| ScramError::Signature)
    }

    fn hmac(&self, key: &[u8], data: &[u8]) -> Zeroizing<Vec<u8>> {
        let algorithm = match self.hash {
            ScramHash::Sha256 => hmac::HMAC_SHA256,
            ScramHash::Sha512 => hmac::HMAC_SHA512,
        };
        let tag = hmac::sign(&hmac::Key::new(algorithm, key), data);
        Zeroizing::new(tag.as_ref().to_vec())
    }

    fn digest(&self) -> &'static digest::Algorithm {
        digest(self.hash)
    }
}

/// The salted password that both sides derive: `Hi` of RFC 5802.
pub(crate) fn salted_password(
    hash: ScramHash,
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU32,
) -> Zeroizing<Vec<u8>> {
    let algorithm = match hash {
        ScramHash::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
        ScramHash::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
    };
    let mut salted = Zeroizing::new(vec![0; digest(hash).output_len]);
    pbkdf2::derive(algorithm, iterations, salt, password, &mut salted);
    salted
}

fn digest(hash: ScramHash) -> &'static digest::Algorithm {
    match hash {
        ScramHash::Sha256 => &digest::SHA256,
        ScramHash::Sha512 => &digest::SHA512,
    }
}

fn refusal(part: &str) -> ScramError {
    match part.strip_prefix("e=") {
        // The broker's error; a hostile one may send a long text.
        Some(words) => ScramError::Refused(words.chars().take(200).collect()),
        None => ScramError::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7677, section 3.
    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
    const SERVER_FIRST: &str =
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    const CLIENT_FINAL: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
                                p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    const SERVER_FINAL: &str = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    fn machine(hash: ScramHash) -> Scram {
        let password = Secret::new("pencil");
        Scram::with_nonce(hash, "user", password, NONCE.to_owned())
    }

    #[test]
    fn it_says_what_rfc_7677_says() {
        let mut scram = machine(ScramHash::Sha256);
        assert_eq!(scram.first(), format!("n,,n=user,r={NONCE}").as_bytes());
        let answer = scram.answer(SERVER_FIRST.as_bytes()).expect("it is good");
        assert_eq!(answer.as_deref(), Some(CLIENT_FINAL.as_bytes()));
        assert!(!scram.is_done());
        assert_eq!(scram.answer(SERVER_FINAL.as_bytes()), Ok(None));
        assert!(scram.is_done());
        let more = scram.answer(SERVER_FINAL.as_bytes());
        assert_eq!(more, Err(ScramError::AfterEnd));
    }

    #[test]
    fn a_broker_that_does_not_know_the_password_is_not_believed() {
        for (last, expected) in [
            (
                "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G5=",
                ScramError::Malformed,
            ),
            (
                "v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
                ScramError::Signature,
            ),
            ("v=", ScramError::Signature),
            ("", ScramError::Malformed),
            (
                "e=other-error",
                ScramError::Refused("other-error".to_owned()),
            ),
        ] {
            let mut scram = machine(ScramHash::Sha256);
            scram.answer(SERVER_FIRST.as_bytes()).expect("it is good");
            assert_eq!(scram.answer(last.as_bytes()), Err(expected), "{last}");
        }
    }

    #[test]
    fn nonce_salt_and_iterations_have_bounds() {
        let cases = [
            (
                "r=another,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                ScramError::Nonce,
            ),
            (
                "r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                ScramError::Nonce,
            ),
            (
                "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4095",
                ScramError::Iterations(4095),
            ),
            (
                "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=100001",
                ScramError::Iterations(100_001),
            ),
            (
                "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4294971392",
                ScramError::Iterations(4_294_971_392),
            ),
            (
                "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=-1",
                ScramError::Malformed,
            ),
            ("r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096", ScramError::Malformed),
            ("r=rOprNGfwEbeRWgbNEkqOx,s=%%,i=4096", ScramError::Malformed),
            (
                "m=1,r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                ScramError::Malformed,
            ),
            (
                "e=unknown-user",
                ScramError::Refused("unknown-user".to_owned()),
            ),
        ];
        for (first, expected) in cases {
            let answer = machine(ScramHash::Sha256).answer(first.as_bytes());
            assert_eq!(answer, Err(expected), "{first}");
        }
        assert_eq!(
            machine(ScramHash::Sha512).answer(b"\xff"),
            Err(ScramError::Malformed)
        );
    }

    #[test]
    fn names_are_escaped_and_nonces_differ() {
        let password = || Secret::new("p");
        let scram = Scram::with_nonce(ScramHash::Sha512, "a=b,c", password(), "N".to_owned());
        assert_eq!(scram.first(), b"n,,n=a=3Db=2Cc,r=N");
        let fresh = || {
            Scram::new(ScramHash::Sha512, "u", password())
                .expect("random")
                .first()
        };
        assert_ne!(fresh(), fresh());
    }
}
