//! SCRAM credentials of users (KIP-554). The password is not sent, only its salted hash.

use std::num::NonZeroU32;
use std::time::Instant;

use aws_lc_rs::rand;
use bytes::Bytes;
use kafkars_core::config::ScramHash;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_user_scram_credentials::{
    AlterUserScramCredentialsRequest, ScramCredentialDeletion, ScramCredentialUpsertion,
};
use kafkars_protocol::messages::describe_user_scram_credentials::{
    DescribeUserScramCredentialsRequest, UserName,
};
use zeroize::Zeroizing;

use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, outcome_of};
use super::routing::{Target, not_controller};
use crate::error::{AttemptError, ClientError};
use crate::net::salted_password;

/// Brokers accept 4,096 to 16,384 iterations; far more would keep this machine busy for nothing.
const MOST_ITERATIONS: u32 = 100_000;

/// Length of a random salt in bytes.
const SALT_BYTES: usize = 24;

/// A SCRAM credential of a user, as brokers describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScramCredentialInfo {
    /// A number of Kafka's `ScramMechanism`: 1 for SHA-256, 2 for SHA-512.
    pub mechanism: i8,
    /// How many iterations the password is hashed.
    pub iterations: i32,
}

/// A change of a user's credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScramAlteration {
    /// Creates or replaces a credential.
    Upsertion(ScramUpsertion),
    /// Deletes a credential.
    Deletion {
        /// The user.
        user: String,
        /// The hash, which tells SCRAM-SHA-256 from SCRAM-SHA-512.
        hash: ScramHash,
    },
}

/// A credential to create or to replace.
#[derive(Clone, PartialEq, Eq)]
pub struct ScramUpsertion {
    /// The user.
    pub user: String,
    /// The hash, which tells SCRAM-SHA-256 from SCRAM-SHA-512.
    pub hash: ScramHash,
    /// How many iterations the password is hashed.
    pub iterations: NonZeroU32,
    /// The salt; `None` for random bytes.
    pub salt: Option<Vec<u8>>,
    /// The password.
    pub password: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for ScramUpsertion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ScramUpsertion")
            .field("user", &self.user)
            .field("hash", &self.hash)
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

impl ScramAlteration {
    fn user(&self) -> &str {
        match self {
            Self::Upsertion(upsertion) => &upsertion.user,
            Self::Deletion { user, .. } => user,
        }
    }
}

impl Admin {
    /// Describes the credentials of users; with `None` of every user that has any.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], and [`ClientError::Broker`] if the request is refused; a user that was
    /// refused has its error in its own outcome.
    pub async fn describe_user_scram_credentials(
        &self,
        users: Option<Vec<String>>,
        deadline: Instant,
    ) -> Result<Outcomes<String, Vec<ScramCredentialInfo>>, ClientError> {
        if users.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Outcomes::new());
        }
        // An empty list stands for every user. So does null, but when Kafka refuses a null it fails to build its answer
        // and sends none.
        let named = users.iter().flatten().cloned();
        let request = DescribeUserScramCredentialsRequest {
            users: Some(named.map(|name| UserName { name }).collect()),
        };
        let response = self
            .ask(
                Target::Controller,
                |_| request.clone(),
                |response| not_controller([response.error_code]),
                deadline,
            )
            .await?;
        outcome(response.error_code, None, response.error_message)?;
        let answered = response.results.into_iter().map(|result| {
            let told = judged(&result.user, result.error_code, result.error_message);
            let infos = result.credential_infos.into_iter();
            let infos = infos.map(|info| ScramCredentialInfo {
                mechanism: info.mechanism,
                iterations: info.iterations,
            });
            (result.user, told.map(|()| infos.collect()))
        });
        let answered = answered.collect();
        Ok(match users {
            Some(users) => in_order(&users, answered),
            None => answered,
        })
    }

    /// Changes credentials, at most one change for each user: brokers refuse a user that is named twice.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a user that was refused has its error in its own outcome.
    pub async fn alter_user_scram_credentials(
        &self,
        alterations: Vec<ScramAlteration>,
        deadline: Instant,
    ) -> Result<Outcomes<String, ()>, ClientError> {
        let mut users: Vec<String> = Vec::new();
        for alteration in &alterations {
            if !users.iter().any(|user| user == alteration.user()) {
                users.push(alteration.user().to_owned());
            }
        }
        let (request, mut answered) = hashed(alterations).await?;
        if !request.deletions.is_empty() || !request.upsertions.is_empty() {
            let response = self
                .ask(
                    Target::Controller,
                    |_| request.clone(),
                    |response| not_controller(response.results.iter().map(|one| one.error_code)),
                    deadline,
                )
                .await?;
            let results = response.results.into_iter();
            answered.extend(results.map(|result| {
                let outcome = judged(&result.user, result.error_code, result.error_message);
                (result.user, outcome)
            }));
        }
        Ok(in_order(&users, answered))
    }
}

fn judged(user: &str, code: i16, message: Option<String>) -> Result<(), ClientError> {
    outcome_of(code, message, || format!("user {user:?}"))
}

/// Builds the request, with the alterations that are refused here already. Hashing a password takes milliseconds, so it
/// runs on a thread that serves no sockets.
async fn hashed(
    alterations: Vec<ScramAlteration>,
) -> Result<(AlterUserScramCredentialsRequest, Outcomes<String, ()>), ClientError> {
    let work = tokio::task::spawn_blocking(move || {
        let mut request = AlterUserScramCredentialsRequest::default();
        let mut refused = Outcomes::new();
        for alteration in alterations {
            match alteration {
                ScramAlteration::Deletion { user, hash } => {
                    let mechanism = mechanism(hash);
                    let name = user;
                    let deletion = ScramCredentialDeletion { name, mechanism };
                    request.deletions.push(deletion);
                }
                ScramAlteration::Upsertion(upsertion) => match hash(&upsertion) {
                    Ok(hashed) => request.upsertions.push(hashed),
                    Err(error) => refused.push((upsertion.user, Err(error))),
                },
            }
        }
        (request, refused)
    });
    work.await.map_err(|_| ClientError::Closed)
}

fn hash(upsertion: &ScramUpsertion) -> Result<ScramCredentialUpsertion, ClientError> {
    let iterations = upsertion.iterations;
    if iterations.get() > MOST_ITERATIONS {
        let text = format!("{iterations} iterations: brokers take 4096 to 16384");
        return Err(ClientError::Broker {
            code: ErrorCode::UnacceptableCredential,
            topic: None,
            partition: None,
            subject: None,
            message: Some(text.into()),
        });
    }
    let salt = match &upsertion.salt {
        Some(salt) => salt.clone(),
        None => {
            let mut salt = vec![0; SALT_BYTES];
            rand::fill(&mut salt).map_err(|_| {
                AttemptError::Protocol("the system gives no random numbers for a salt".into())
            })?;
            salt
        }
    };
    let salted = salted_password(upsertion.hash, &upsertion.password, &salt, iterations);
    Ok(ScramCredentialUpsertion {
        name: upsertion.user.clone(),
        mechanism: mechanism(upsertion.hash),
        iterations: iterations.get().cast_signed(),
        salt: Bytes::from(salt),
        salted_password: Bytes::copy_from_slice(&salted),
    })
}

fn mechanism(hash: ScramHash) -> i8 {
    match hash {
        ScramHash::Sha256 => 1,
        ScramHash::Sha512 => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upsertion(iterations: u32) -> ScramUpsertion {
        ScramUpsertion {
            user: "alice".to_owned(),
            hash: ScramHash::Sha256,
            iterations: NonZeroU32::new(iterations).expect("some"),
            salt: None,
            password: Zeroizing::new(b"swordfish".to_vec()),
        }
    }

    #[test]
    fn a_password_never_shows_itself() {
        let shown = format!("{:?}", ScramAlteration::Upsertion(upsertion(4096)));
        assert!(shown.contains("alice"), "{shown}");
        assert!(
            !shown.contains("swordfish") && !shown.contains("115"),
            "{shown}"
        );
    }

    #[test]
    fn salts_are_random_and_the_password_does_not_travel() {
        let one = hash(&upsertion(4096)).expect("hashed");
        let other = hash(&upsertion(4096)).expect("hashed");
        assert_eq!(one.salt.len(), SALT_BYTES);
        assert_ne!(one.salt, other.salt);
        assert_ne!(one.salted_password, other.salted_password);
        assert_eq!(one.salted_password.len(), 32);
    }

    #[test]
    fn absurd_numbers_of_iterations_are_not_computed() {
        let refused = hash(&upsertion(u32::MAX)).expect_err("refused");
        assert!(matches!(
            refused,
            ClientError::Broker {
                code: ErrorCode::UnacceptableCredential,
                ..
            }
        ));
    }
}
