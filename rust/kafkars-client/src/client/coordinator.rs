//! Which broker coordinates a group or a transactional producer.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::backoff::Backoff;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::{
    FindCoordinatorRequest, FindCoordinatorResponse,
};

use super::Client;
use crate::error::ClientError;
use crate::now;

/// From this version on a request names several keys at once (KIP-699).
const SEVERAL_KEYS_SINCE: i16 = 4;

/// What is coordinated, with the number it has on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoordinatorKind {
    /// The members and committed offsets of a group.
    Group = 0,
    /// The transactions of a transactional id.
    Transaction = 1,
    /// The state of a share group's partitions (KIP-932).
    Share = 2,
}

impl Client {
    /// The number of the broker that coordinates `key` now. Asks again while the cluster elects one or its coordinator
    /// is not ready yet, until the deadline. The answer is not kept: that is the caller's.
    pub async fn find_coordinator(
        &self,
        kind: CoordinatorKind,
        key: &str,
        deadline: Instant,
    ) -> Result<i32, ClientError> {
        let started = now();
        let config = self.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let mut failures = 0;
        loop {
            let build = |version| request(kind, key, version);
            let response = self.request_any_with(build, deadline).await?;
            let (code, message) = match found(response) {
                Ok(node) => {
                    if self.cluster().broker(node).is_none() {
                        self.refresh_metadata();
                    }
                    return Ok(node);
                }
                Err(refusal) => refusal,
            };
            if !code.retriable() {
                return Err(ClientError::Broker {
                    code,
                    topic: None,
                    partition: None,
                    message,
                });
            }
            failures += 1;
            let again = now() + backoff.delay(failures, self.core.network.random.lock().next());
            if again >= deadline {
                return Err(ClientError::TimedOut {
                    operation: format!("finding the coordinator of {key:?}").into(),
                    waited: now() - started,
                    cause: format!("{}: {}", code.name(), code.description()).into(),
                });
            }
            tokio::time::sleep_until(again.into()).await;
        }
    }
}

fn request(kind: CoordinatorKind, key: &str, version: i16) -> FindCoordinatorRequest {
    let mut request = FindCoordinatorRequest {
        key_type: kind as i8,
        ..FindCoordinatorRequest::default()
    };
    match version >= SEVERAL_KEYS_SINCE {
        true => request.coordinator_keys = vec![key.to_owned()],
        false => key.clone_into(&mut request.key),
    }
    request
}

type CoordinatorRefusal = (ErrorCode, Option<Arc<str>>);

fn found(mut response: FindCoordinatorResponse) -> Result<i32, CoordinatorRefusal> {
    let (code, node, message) = match response.coordinators.pop() {
        Some(one) => (one.error_code, one.node_id, one.error_message),
        None => (
            response.error_code,
            response.node_id,
            response.error_message,
        ),
    };
    match ErrorCode::check(code) {
        Ok(()) => Ok(node),
        Err(code) => Err((
            code,
            message.filter(|text| !text.is_empty()).map(Into::into),
        )),
    }
}

#[cfg(test)]
mod tests {
    use kafkars_protocol::messages::find_coordinator::Coordinator;

    use super::*;

    #[test]
    fn old_and_new_forms_say_the_same() {
        let old = request(CoordinatorKind::Transaction, "payments", 3);
        assert_eq!((old.key.as_str(), old.key_type), ("payments", 1));
        assert!(old.coordinator_keys.is_empty());
        let new = request(CoordinatorKind::Group, "orders", 4);
        assert_eq!(new.coordinator_keys, ["orders"]);
        assert_eq!((new.key.as_str(), new.key_type), ("", 0));
    }

    #[test]
    fn the_answer_is_read_in_both_forms() {
        let old = FindCoordinatorResponse {
            node_id: 3,
            ..FindCoordinatorResponse::default()
        };
        assert_eq!(found(old), Ok(3));
        let refused = Coordinator {
            error_code: ErrorCode::GroupAuthorizationFailed.code(),
            node_id: -1,
            ..Coordinator::default()
        };
        let new = FindCoordinatorResponse {
            coordinators: vec![refused],
            ..FindCoordinatorResponse::default()
        };
        assert_eq!(found(new), Err((ErrorCode::GroupAuthorizationFailed, None)));
    }
}
