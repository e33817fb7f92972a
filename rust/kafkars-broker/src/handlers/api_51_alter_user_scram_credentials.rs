//! AlterUserScramCredentials, version 0 (KIP-554).
//!
//! Kept: credentials are set, replaced and deleted, with Kafka's checks; a user is altered once in a request.

use std::collections::BTreeMap;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_user_scram_credentials::{
    AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
};

use super::{Handled, Peer, Serve, repeated};
use crate::refusal::{RefusedRequest, refuse_with, told};
use crate::scram::ScramCredential;

impl Serve for AlterUserScramCredentialsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterUserScramCredentialsResponse> {
        let mut state = peer.cluster.state();
        let times = times(&self);
        let once = |user: &str| match times.get(user) {
            Some(1) => Ok(()),
            _ => {
                let reason = "A user credential cannot be altered twice in the same request";
                refuse_with(ErrorCode::DuplicateResource, reason)
            }
        };
        let mut outcomes = BTreeMap::new();
        for deletion in &self.deletions {
            let user = deletion.name.as_str();
            let outcome = once(user).and_then(|()| state.scram.delete(user, deletion.mechanism));
            outcomes.insert(user, outcome);
        }
        for upsertion in &self.upsertions {
            let user = upsertion.name.as_str();
            let outcome = once(user).and_then(|()| {
                let credential = ScramCredential::new(
                    upsertion.iterations,
                    upsertion.salt.clone(),
                    upsertion.salted_password.clone(),
                );
                state.scram.set(user, upsertion.mechanism, credential)
            });
            outcomes.insert(user, outcome);
        }
        Handled::Now(respond(outcomes))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> AlterUserScramCredentialsResponse {
        let users = times(self).into_keys();
        respond(users.map(|user| (user, Err(code.into()))).collect())
    }
}

/// Counts how often each user is named.
fn times(request: &AlterUserScramCredentialsRequest) -> BTreeMap<&str, usize> {
    let deletions = request.deletions.iter().map(|deletion| &deletion.name);
    let upsertions = request.upsertions.iter().map(|upsertion| &upsertion.name);
    repeated::times(deletions.chain(upsertions).map(String::as_str))
}

fn respond(
    outcomes: BTreeMap<&str, Result<(), RefusedRequest>>,
) -> AlterUserScramCredentialsResponse {
    let result = |(user, outcome): (&str, Result<(), RefusedRequest>)| {
        let (error_code, error_message) = told(outcome);
        AlterUserScramCredentialsResult {
            user: user.to_owned(),
            error_code,
            error_message,
        }
    };
    AlterUserScramCredentialsResponse {
        throttle_time_ms: 0,
        results: outcomes.into_iter().map(result).collect(),
    }
}
