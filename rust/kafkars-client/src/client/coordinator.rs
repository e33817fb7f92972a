//! Finding the coordinator of a group or of a transactional producer.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::backoff::Backoff;
use kafkars_core::coordinator::{CoordinatorKind, FindCoordinator};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;

use super::handle::Client;
use crate::error::ClientError;
use crate::now;

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
        let started = now();
        let config = self.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let mut failures = 0;
        let mut refusal = None;
        let key = Arc::from(key);
        let search = FindCoordinator { kind, key };
        let late = |cause| ClientError::TimedOut {
            operation: format!("finding the coordinator of {}", kind.naming(&search.key)).into(),
            waited: now() - started,
            cause,
        };
        loop {
            let build = |version| search.request(version);
            let began = now();
            let response = match self.request_any_with(build, deadline).await {
                Err(ClientError::TimedOut { cause, .. }) => {
                    let before = refusal.filter(|_| self.was_cut_off(began, deadline));
                    return Err(late(before.unwrap_or(cause)));
                }
                other => other?,
            };
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
                    subject: Some(kind.naming(&search.key).into()),
                    message,
                });
            }
            failures += 1;
            refusal = Some(Arc::from(code.explained()));
            let left = deadline.saturating_duration_since(now());
            let random = self.core.network.random.lock().next();
            let Some(pause) = backoff.delay_within(left, failures, random) else {
                return Err(late(code.explained().into()));
            };
            tokio::time::sleep(pause).await;
        }
    }
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
