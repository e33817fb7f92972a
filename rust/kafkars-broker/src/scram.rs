//! Credentials of users for SCRAM (KIP-554), as administrators set them.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use kafkars_protocol::ErrorCode;

use crate::refusal::{RefusedRequest, refuse_with};

/// Users there may be, so that altering them does not fill the memory.
const MAX_USERS: usize = 10_000;
/// Bytes that a salt or a password may have.
const LONGEST_SECRET: usize = 1024;
/// The fewest and the most iterations of a credential, as in Kafka.
const FEWEST_ITERATIONS: i32 = 4096;
const MOST_ITERATIONS: i32 = 16_384;

/// The credentials of all users, by user and mechanism in Kafka's numbers: 1 is SCRAM-SHA-256, 2 is SCRAM-SHA-512.
#[derive(Debug, Default)]
pub(crate) struct ScramCredentials(BTreeMap<String, BTreeMap<i8, ScramCredential>>);

/// One credential.
pub(crate) struct ScramCredential {
    pub(crate) iterations: i32,
    /// The salt and the salted password.
    secret: [Bytes; 2],
}

impl fmt::Debug for ScramCredential {
    /// Leaves the secret out: who has it can log in.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ScramCredential")
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

impl ScramCredential {
    pub(crate) fn new(iterations: i32, salt: Bytes, salted_password: Bytes) -> Self {
        Self {
            iterations,
            // What came lies in the buffer of its request, which need not be kept for it.
            secret: [salt, salted_password].map(|part| Bytes::copy_from_slice(&part)),
        }
    }

    /// The salt and the salted password.
    pub(crate) fn secret(&self) -> &[Bytes; 2] {
        &self.secret
    }
}

impl ScramCredentials {
    pub(crate) fn users(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    pub(crate) fn of(&self, user: &str) -> Option<&BTreeMap<i8, ScramCredential>> {
        self.0.get(user)
    }

    /// All credentials, by user and mechanism.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, i8, &ScramCredential)> {
        let users = self.0.iter();
        users.flat_map(|(user, credentials)| {
            let credentials = credentials.iter();
            credentials.map(move |(mechanism, credential)| (user.as_str(), *mechanism, credential))
        })
    }

    pub(crate) fn delete(&mut self, user: &str, mechanism: i8) -> Result<(), RefusedRequest> {
        check(user, mechanism)?;
        let gone = self
            .0
            .get_mut(user)
            .and_then(|found| found.remove(&mechanism));
        if gone.is_none() {
            let reason = "Attempt to delete a user credential that does not exist";
            return refuse_with(ErrorCode::ResourceNotFound, reason);
        }
        self.0.retain(|_, credentials| !credentials.is_empty());
        Ok(())
    }

    pub(crate) fn set(
        &mut self,
        user: &str,
        mechanism: i8,
        credential: ScramCredential,
    ) -> Result<(), RefusedRequest> {
        check(user, mechanism)?;
        let refused = |reason| refuse_with(ErrorCode::UnacceptableCredential, reason);
        match credential.iterations {
            ..FEWEST_ITERATIONS => return refused("Too few iterations"),
            FEWEST_ITERATIONS..=MOST_ITERATIONS => {}
            _ => return refused("Too many iterations"),
        }
        if credential
            .secret
            .iter()
            .any(|part| part.len() > LONGEST_SECRET)
        {
            return refused("The salt or the password is longer than 1,024 bytes");
        }
        if self.0.len() >= MAX_USERS && !self.0.contains_key(user) {
            let reason = format!("{MAX_USERS} users have credentials, which is the limit.");
            return refuse_with(ErrorCode::PolicyViolation, reason);
        }
        let credentials = self.0.entry(user.to_owned()).or_default();
        credentials.insert(mechanism, credential);
        Ok(())
    }
}

fn check(user: &str, mechanism: i8) -> Result<(), RefusedRequest> {
    if user.is_empty() {
        let reason = "Username must not be empty";
        return refuse_with(ErrorCode::UnacceptableCredential, reason);
    }
    if !matches!(mechanism, 1 | 2) {
        let reason = "Unknown SCRAM mechanism";
        return refuse_with(ErrorCode::UnsupportedSaslMechanism, reason);
    }
    Ok(())
}
