//! SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677), the server's side.

use aws_lc_rs::{constant_time, digest, rand};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use zeroize::Zeroizing;

use super::login::{Directory, LoginFailure, LoginProgress};
use super::sasl_name::sasl_name;
use crate::security::hash::HashAlgorithm;

/// Random bytes in the broker's part of the nonce.
const NONCE: usize = 24;

/// One login.
pub(crate) struct ScramServer {
    hash: HashAlgorithm,
    state: ScramServerState,
}

enum ScramServerState {
    AwaitsFirst,
    AwaitsFinal(Box<Challenge>),
    Done,
}

/// The challenge that was sent to the client, to check its proof with.
struct Challenge {
    user: String,
    /// The client's nonce with ours behind it.
    nonce: String,
    client_first_bare: String,
    server_first: String,
    salted_password: Zeroizing<Vec<u8>>,
}

impl ScramServer {
    pub(crate) fn new(hash: HashAlgorithm) -> Self {
        Self {
            hash,
            state: ScramServerState::AwaitsFirst,
        }
    }

    pub(super) fn take(
        &mut self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Result<LoginProgress, LoginFailure> {
        let message = std::str::from_utf8(message).map_err(|_| LoginFailure::InvalidCredentials)?;
        match std::mem::replace(&mut self.state, ScramServerState::Done) {
            ScramServerState::AwaitsFirst => {
                let challenge = self.challenge(message, directory)?;
                let answer = challenge.server_first.clone().into_bytes();
                self.state = ScramServerState::AwaitsFinal(Box::new(challenge));
                Ok(LoginProgress::Challenge(answer))
            }
            ScramServerState::AwaitsFinal(challenge) => self.check(message, *challenge),
            ScramServerState::Done => Err(LoginFailure::InvalidCredentials),
        }
    }

    fn challenge(
        &self,
        message: &str,
        directory: &Directory<'_>,
    ) -> Result<Challenge, LoginFailure> {
        let first = ClientFirst::read(message).ok_or(LoginFailure::InvalidCredentials)?;
        let credentials = directory.scram.of(&first.user);
        let credential = credentials.and_then(|all| all.get(&self.hash.code()));
        let credential = credential.ok_or(LoginFailure::InvalidCredentials)?;
        if first.authorization.is_some_and(|name| name != first.user) {
            let words = "Client requested an authorization id that is different from username";
            return Err(LoginFailure::reason(words));
        }
        let mut random = [0; NONCE];
        rand::fill(&mut random).map_err(|_| LoginFailure::InvalidCredentials)?;
        let nonce = format!("{}{}", first.nonce, BASE64.encode(random));
        let [salt, salted_password] = credential.secret();
        let server_first = format!(
            "r={nonce},s={},i={}",
            BASE64.encode(salt),
            credential.iterations
        );
        Ok(Challenge {
            user: first.user,
            nonce,
            client_first_bare: first.bare.to_owned(),
            server_first,
            salted_password: Zeroizing::new(salted_password.to_vec()),
        })
    }

    fn check(&self, message: &str, challenge: Challenge) -> Result<LoginProgress, LoginFailure> {
        let (without_proof, proof) = message
            .rsplit_once(",p=")
            .ok_or(LoginFailure::InvalidCredentials)?;
        let mut parts = without_proof.split(',');
        let binding = parts.next().and_then(|part| part.strip_prefix("c="));
        let nonce = parts.next().and_then(|part| part.strip_prefix("r="));
        // Without channel binding the header is what the client began with: "n,,".
        let header = binding.and_then(|text| BASE64.decode(text).ok());
        let is_header = header.is_some_and(|header| header.starts_with(b"n,"));
        if !is_header || nonce != Some(&challenge.nonce) {
            return Err(LoginFailure::InvalidCredentials);
        }
        let proof = BASE64
            .decode(proof)
            .map_err(|_| LoginFailure::InvalidCredentials)?;
        let Challenge {
            client_first_bare,
            server_first,
            salted_password,
            ..
        } = &challenge;
        let signed = format!("{client_first_bare},{server_first},{without_proof}");
        let client_key = self.hash.sign(salted_password, b"Client Key");
        let stored_key = digest::digest(self.hash.digest(), client_key.as_ref());
        let signature = self.hash.sign(stored_key.as_ref(), signed.as_bytes());
        let expected = client_key.as_ref().iter().zip(signature.as_ref());
        let expected: Vec<u8> = expected.map(|(key, byte)| key ^ byte).collect();
        constant_time::verify_slices_are_equal(&proof, &expected)
            .map_err(|_| LoginFailure::InvalidCredentials)?;
        let server_key = self.hash.sign(salted_password, b"Server Key");
        let signature = self.hash.sign(server_key.as_ref(), signed.as_bytes());
        Ok(LoginProgress::Done {
            user: challenge.user,
            answer: format!("v={}", BASE64.encode(signature)).into_bytes(),
            ends_at: None,
        })
    }
}

/// The client's first message.
struct ClientFirst<'a> {
    /// The name that the client wants to act under, where it says so.
    authorization: Option<String>,
    user: String,
    nonce: &'a str,
    /// The part of the message that is signed.
    bare: &'a str,
}

impl<'a> ClientFirst<'a> {
    fn read(message: &'a str) -> Option<Self> {
        let (authorization, bare) = message.strip_prefix("n,")?.split_once(',')?;
        let authorization = match authorization {
            "" => None,
            given => Some(sasl_name(given.strip_prefix("a=")?)?),
        };
        let mut parts = bare.split(',');
        let user = sasl_name(parts.next()?.strip_prefix("n=")?)?;
        let nonce = parts.next()?.strip_prefix("r=")?;
        let printable = nonce.bytes().all(|byte| matches!(byte, 0x21..=0x7e));
        (!user.is_empty() && !nonce.is_empty() && printable).then_some(Self {
            authorization,
            user,
            nonce,
            bare,
        })
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::pbkdf2;
    use proptest::prelude::*;

    use super::*;
    use crate::scram::ScramCredentials;
    use crate::security::users::{Passwords, User, set_scram};

    fn users() -> (Passwords, ScramCredentials) {
        let mut scram = ScramCredentials::default();
        let user = User {
            name: "alice".to_owned(),
            password: "wonderland".to_owned(),
        };
        set_scram(&mut scram, &user).unwrap();
        (Passwords::default(), scram)
    }

    /// The client's side, written from RFC 5802 without the code above.
    fn answer(hash: HashAlgorithm, bare: &str, server_first: &str, password: &str) -> String {
        let field = |name: &str| {
            let mut parts = server_first.split(',');
            parts.find_map(|part| part.strip_prefix(name)).unwrap()
        };
        let salt = BASE64.decode(field("s=")).unwrap();
        let iterations = std::num::NonZeroU32::new(field("i=").parse().unwrap()).unwrap();
        let mut salted = vec![0; hash.length()];
        pbkdf2::derive(
            hash.pbkdf2(),
            iterations,
            &salt,
            password.as_bytes(),
            &mut salted,
        );
        let key = hash.sign(&salted, b"Client Key");
        let stored = digest::digest(hash.digest(), key.as_ref());
        let without_proof = format!("c=biws,r={}", field("r="));
        let signed = format!("{bare},{server_first},{without_proof}");
        let signature = hash.sign(stored.as_ref(), signed.as_bytes());
        let proof: Vec<u8> = key
            .as_ref()
            .iter()
            .zip(signature.as_ref())
            .map(|(a, b)| a ^ b)
            .collect();
        format!("{without_proof},p={}", BASE64.encode(proof))
    }

    #[test]
    fn the_right_password_is_proved_and_a_wrong_one_is_not() {
        let (passwords, scram) = users();
        let directory = Directory {
            passwords: &passwords,
            scram: &scram,
            now: 0,
        };
        for (hash, password, right) in [
            (HashAlgorithm::Sha256, "wonderland", true),
            (HashAlgorithm::Sha512, "wonderland", true),
            (HashAlgorithm::Sha512, "Wonderland", false),
        ] {
            let mut login = ScramServer::new(hash);
            let bare = "n=alice,r=rOprNGfwEbeRWgbNEkqO";
            let first = format!("n,,{bare}");
            let Ok(LoginProgress::Challenge(challenge)) = login.take(first.as_bytes(), &directory)
            else {
                panic!("no challenge");
            };
            let challenge = String::from_utf8(challenge).unwrap();
            let last = answer(hash, bare, &challenge, password);
            let outcome = login.take(last.as_bytes(), &directory);
            assert_eq!(outcome.is_ok(), right, "{outcome:?}");
            // A message more is never an answer.
            assert!(login.take(last.as_bytes(), &directory).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_message_is_a_panic_or_a_login(first in ".{0,60}", last in ".{0,60}", keep in any::<bool>()) {
            let (passwords, scram) = (Passwords::default(), users_once());
            let directory = Directory { passwords: &passwords, scram, now: 0 };
            let mut login = ScramServer::new(HashAlgorithm::Sha256);
            let first = if keep { format!("n,,n=alice,r=x{}", first.replace(|c: char| !c.is_ascii_alphanumeric(), "")) } else { first };
            let challenged = login.take(first.as_bytes(), &directory);
            if keep {
                prop_assert!(matches!(challenged, Ok(LoginProgress::Challenge(_))));
            }
            prop_assert!(login.take(last.as_bytes(), &directory).is_err());
        }
    }

    /// Deriving keys for every case would take long.
    fn users_once() -> &'static ScramCredentials {
        static USERS: std::sync::OnceLock<ScramCredentials> = std::sync::OnceLock::new();
        USERS.get_or_init(|| users().1)
    }
}
