//! DescribeUserScramCredentials, version 0 (KIP-554).
//!
//! Kept: the mechanisms and iterations of all users or of those named.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_user_scram_credentials::{
    CredentialInfo, DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
};

use super::repeated::times;
use super::{Handled, Peer, Serve};
use crate::refusal::{RefusedRequest, refuse_with};
use crate::state::ClusterState;

impl Serve for DescribeUserScramCredentialsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeUserScramCredentialsResponse> {
        let state = peer.cluster.state();
        let mut times = times(self.users.iter().flatten().map(|user| user.name.clone()));
        if times.is_empty() {
            times = state.scram.users().map(|user| (user.clone(), 1)).collect();
        }
        let results = times.into_iter().map(|(user, times)| {
            let credentials = if times > 1 {
                let reason =
                    format!("Cannot describe SCRAM credentials for the same user twice in a single request: {user}");
                refuse_with(ErrorCode::DuplicateResource, reason)
            } else {
                describe(&state, &user)
            };
            result(user, credentials)
        });
        Handled::Now(DescribeUserScramCredentialsResponse {
            error_message: Some(String::new()),
            results: results.collect(),
            ..DescribeUserScramCredentialsResponse::default()
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> DescribeUserScramCredentialsResponse {
        let users = self.users.iter().flatten();
        DescribeUserScramCredentialsResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            // Kafka says it of each user too, and librdkafka looks only there.
            results: users
                .map(|user| result(user.name.clone(), Err(code.into())))
                .collect(),
            ..DescribeUserScramCredentialsResponse::default()
        }
    }
}

fn describe(state: &ClusterState, user: &str) -> Result<Vec<CredentialInfo>, RefusedRequest> {
    let Some(credentials) = state.scram.of(user) else {
        let reason = format!("Attempt to describe a user credential that does not exist: {user}");
        return refuse_with(ErrorCode::ResourceNotFound, reason);
    };
    let credentials = credentials.iter();
    Ok(credentials
        .map(|(mechanism, credential)| CredentialInfo {
            mechanism: *mechanism,
            iterations: credential.iterations,
        })
        .collect())
}

fn result(
    user: String,
    credentials: Result<Vec<CredentialInfo>, RefusedRequest>,
) -> DescribeUserScramCredentialsResult {
    let (credential_infos, error_code, error_message) = match credentials {
        Ok(credentials) => (credentials, 0, String::new()),
        Err(refusal) => (Vec::new(), refusal.code.code(), refusal.into_message()),
    };
    DescribeUserScramCredentialsResult {
        user,
        error_code,
        error_message: Some(error_message),
        credential_infos,
    }
}
