//! Finding the coordinator of a group or of a transactional producer.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::coordinator::{CoordinatorKind, FindCoordinator};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;

use super::handle::Client;
use super::retries::TryFailure;
use crate::error::ClientError;

impl Client {
    /// Returns the node id of the broker that coordinates `key` now. Asks again while the cluster elects one or its
    /// coordinator is not ready yet, until the deadline. The answer is not cached here.
    ///
    /// # Errors
    /// [`ClientError::Broker`] if the cluster refuses to name one, [`ClientError::TimedOut`] at the deadline; otherwise
    /// as for [`Client::request_any`].
    pub async fn find_coordinator(
        &self,
        kind: CoordinatorKind,
        key: &str,
        deadline: Instant,
    ) -> Result<i32, ClientError> {
        let mut retries = self.retries(deadline);
        let mut before: Option<Arc<str>> = None;
        loop {
            retries.begin();
            let (met, is_over) = match self.look_up_coordinator(kind, key, deadline).await {
                Err(ClientError::TimedOut { cause, .. }) => (TryFailure::NoAnswer(cause), true),
                Err(ClientError::Broker { code, .. }) if code.retriable() => {
                    (TryFailure::Refusal(code.explained().into()), false)
                }
                other => return other,
            };
            let cause = retries.cause(met, before.take());
            match retries.pause().filter(|_| !is_over) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(retries.late(finding(kind, key), cause)),
            }
            before = Some(cause);
        }
    }

    /// As [`Client::find_coordinator`], but what a broker answers counts, also if it cannot name one now.
    pub(crate) async fn look_up_coordinator(
        &self,
        kind: CoordinatorKind,
        key: &str,
        deadline: Instant,
    ) -> Result<i32, ClientError> {
        let key = Arc::from(key);
        let search = FindCoordinator { kind, key };
        let build = |version| search.request(version);
        let answer = found(self.request_any_with(build, deadline).await?);
        let node = answer.map_err(|(code, message)| ClientError::Broker {
            code,
            topic: None,
            partition: None,
            subject: Some(kind.naming(&search.key).into()),
            message,
        })?;
        if self.cluster().broker(node).is_none() {
            self.refresh_metadata();
        }
        Ok(node)
    }
}

/// Names the search for a coordinator.
pub(crate) fn finding(kind: CoordinatorKind, key: &str) -> String {
    format!("finding the coordinator of {}", kind.naming(key))
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
