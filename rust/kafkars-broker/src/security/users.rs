//! The users that a test has made, with the passwords that PLAIN compares.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use aws_lc_rs::{constant_time, digest, pbkdf2, rand};
use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use parking_lot::Mutex;
use zeroize::Zeroizing;

use super::hash::HashAlgorithm;
use crate::refusal::RefusedRequest;
use crate::scram::{ScramCredential, ScramCredentials};

/// Iterations of the credentials made here: the fewest that Kafka takes.
const ITERATIONS: u32 = 4096;
/// Bytes of a salt.
const SALT: usize = 20;

/// A user and a password, known to PLAIN and to both kinds of SCRAM.
#[derive(Clone, Default)]
pub struct User {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for User {
    /// Leaves the password out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("User")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The passwords of PLAIN. Those of SCRAM are in the state of the cluster, where administrators change them.
#[derive(Default)]
pub(crate) struct Passwords(Mutex<BTreeMap<String, Zeroizing<String>>>);

impl Passwords {
    pub(crate) fn set(&self, user: &User) {
        let password = Zeroizing::new(user.password.clone());
        self.0.lock().insert(user.name.clone(), password);
    }

    pub(crate) fn remove(&self, user: &str) -> bool {
        self.0.lock().remove(user).is_some()
    }

    pub(super) fn is_right(&self, user: &str, password: &str) -> bool {
        let passwords = self.0.lock();
        let known = passwords.get(user).map(|known| hash(known));
        // Whoever asks for a user that is not there waits as long as for one that is.
        let compared = known.unwrap_or_else(|| hash(""));
        let equal =
            constant_time::verify_slices_are_equal(compared.as_ref(), hash(password).as_ref());
        known.is_some() && equal.is_ok()
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Passwords").finish_non_exhaustive()
    }
}

fn hash(text: &str) -> digest::Digest {
    digest::digest(&digest::SHA256, text.as_bytes())
}

/// Gives a user credentials of both kinds of SCRAM.
pub(crate) fn set_scram(
    credentials: &mut ScramCredentials,
    user: &User,
) -> Result<(), RefusedRequest> {
    for hash in HashAlgorithm::ALL {
        let mut salt = [0; SALT];
        let no_random = |_| RefusedRequest::from(ErrorCode::UnknownServerError);
        rand::fill(&mut salt).map_err(no_random)?;
        let mut salted = Zeroizing::new(vec![0; hash.length()]);
        let iterations = NonZeroU32::new(ITERATIONS).unwrap_or(NonZeroU32::MIN);
        let password = user.password.as_bytes();
        pbkdf2::derive(hash.pbkdf2(), iterations, &salt, password, &mut salted);
        let credential = ScramCredential::new(
            ITERATIONS.cast_signed(),
            Bytes::copy_from_slice(&salt),
            Bytes::copy_from_slice(&salted),
        );
        credentials.set(&user.name, hash.code(), credential)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_compared_and_never_shown() {
        let passwords = Passwords::default();
        let user = User {
            name: "alice".to_owned(),
            password: "wonderland".to_owned(),
        };
        passwords.set(&user);
        assert!(passwords.is_right("alice", "wonderland"));
        for (name, password) in [("alice", ""), ("bob", "wonderland"), ("", ""), ("bob", "")] {
            assert!(!passwords.is_right(name, password), "{name}");
        }
        assert!(!format!("{user:?}{passwords:?}").contains("wonderland"));
        assert!(passwords.remove("alice") && !passwords.is_right("alice", "wonderland"));
    }
}
