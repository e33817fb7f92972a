//! The way of a request from its frame to its answer.

use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::{
    ApiKey, ErrorCode, Message, Reader, RequestHeader, decode_request_header, encode_response,
};

use super::outcome::{ConnectionEnd, HandlerOutcome};
use super::{Handled, Peer, RequestGuard, api_18_api_versions, guard};
use crate::api_table::for_each_served_api;
use crate::cluster::RunningCluster;
use crate::control::fault::FaultAction;
use crate::control::requests::SeenRequest;
use crate::features;
use crate::quotas::Limited;
use crate::security::sasl::session::Gate;
use crate::storage;
use crate::versions;

macro_rules! dispatcher {
    ($($api:ident $module:ident $request:ident,)*) => {
        /// Calls a generic function with the request type of an API.
        fn call(api: ApiKey, call: RequestCall, reader: Reader) -> Result<HandlerOutcome, ConnectionEnd> {
            match api {
                $(ApiKey::$api => call.run::<kafkars_protocol::messages::$module::$request>(reader),)*
                _ => Ok(HandlerOutcome::Disconnect),
            }
        }
    };
}

for_each_served_api!(dispatcher);

/// Handles one frame, the length prefix not included.
pub(crate) fn dispatch(peer: &Peer, frame: Bytes) -> Result<HandlerOutcome, ConnectionEnd> {
    let size = frame.len();
    let mut reader = Reader::new(frame.clone());
    let mut header = decode_request_header(&mut reader)?;
    let gate = match &peer.session {
        None => Gate::Open,
        Some(session) => {
            let (config, version) = (&peer.cluster.config, header.api_version);
            let is_served = versions::is_served(config, header.api_key, version);
            session.admit(header.api_key, is_served, peer.cluster.now())
        }
    };
    let action = peer.cluster.control.observe(SeenRequest {
        node: peer.node,
        connection: peer.connection,
        api: header.api_key,
        version: header.api_version,
        correlation_id: header.correlation_id,
        client_id: header.client_id.clone(),
        size,
        time: peer.cluster.now(),
        action: None,
        body: (!holds_secret(header.api_key)).then(|| frame.slice(reader.position().min(size)..)),
    });
    drop(frame);
    if gate == Gate::Closed {
        tracing::info!(
            node = peer.node,
            connection = peer.connection,
            api = header.api_key.name(),
            "closed a connection: this request does not go before a login, or came after its end"
        );
        return Ok(HandlerOutcome::Disconnect);
    }
    let peer = Peer {
        client_id: header.client_id.take(),
        user: match (&peer.cluster.authorizer, &peer.session) {
            (Some(_), Some(session)) => session.user(),
            _ => None,
        },
        ..peer.clone()
    };
    let refusal = match gate {
        Gate::Refused(code) => Some(code),
        _ => not_controller(&peer, header.api_key).or_else(|| not_on(&peer, header.api_key)),
    };
    let mut call = RequestCall {
        peer,
        header,
        size,
        refusal,
    };
    match action {
        None => call.answer(reader),
        Some(FaultAction::Drop) => Ok(HandlerOutcome::Silence),
        Some(FaultAction::Disconnect) => Ok(HandlerOutcome::Disconnect),
        Some(FaultAction::Error(code)) => {
            call.refusal = Some(code);
            call.answer(reader)
        }
        Some(FaultAction::DisconnectAfter) => Ok(after(call.answer(reader)?, |_| {
            Ok(HandlerOutcome::Disconnect)
        })),
        Some(FaultAction::Corrupt(corruption)) => Ok(after(call.answer(reader)?, move |outcome| {
            let frame = match outcome {
                HandlerOutcome::Reply(frame)
                | HandlerOutcome::Throttled {
                    frame: Some(frame), ..
                } => frame,
                other => return Ok(other),
            };
            let (segments, cut) = corruption.apply(frame);
            Ok(HandlerOutcome::Damaged { segments, cut })
        })),
        Some(FaultAction::Delay(delay)) => Ok(HandlerOutcome::Later(Box::pin(async move {
            tokio::time::sleep(delay).await;
            match call.answer(reader)? {
                HandlerOutcome::Later(later) => later.await,
                outcome => Ok(outcome),
            }
        }))),
    }
}

/// True if the body is not kept for tests to look at.
fn holds_secret(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::SaslAuthenticate | ApiKey::AlterUserScramCredentials
    )
}

/// Writes what a request has changed to the directory, where there is one; false when that fails: then there is no
/// answer.
fn keep(cluster: &RunningCluster, api: ApiKey) -> bool {
    if cluster.config.user.data_dir.is_none() {
        return true;
    }
    let mut state = cluster.state();
    let saved = if state.unsaved || storage::is_change(api) {
        cluster.save(&mut state)
    } else if storage::is_commit(api) {
        cluster.save_commits(&mut state)
    } else {
        return true;
    };
    if let Err(error) = &saved {
        tracing::error!(%error, api = api.name(), "a change cannot be written to the data directory");
    }
    saved.is_ok()
}

/// The refusal of what this node has to leave to the controller.
fn not_controller(peer: &Peer, api: ApiKey) -> Option<ErrorCode> {
    let refused = versions::is_for_controller(api)
        && peer.cluster.config.release.has_zookeeper()
        && peer.cluster.controller() != peer.node;
    refused.then_some(ErrorCode::NotController)
}

/// The refusal of what belongs to a feature that the cluster is at level 0 of.
fn not_on(peer: &Peer, api: ApiKey) -> Option<ErrorCode> {
    let feature = features::that_allows(api)?;
    let is_on = peer.cluster.state().features.is_on(feature);
    (!is_on).then_some(ErrorCode::UnsupportedVersion)
}

/// Changes an outcome once it is there.
fn after(
    outcome: HandlerOutcome,
    change: impl FnOnce(HandlerOutcome) -> Result<HandlerOutcome, ConnectionEnd> + Send + 'static,
) -> HandlerOutcome {
    match outcome {
        HandlerOutcome::Later(later) => {
            HandlerOutcome::Later(Box::pin(async move { change(later.await?) }))
        }
        outcome => change(outcome).unwrap_or(HandlerOutcome::Disconnect),
    }
}

/// One request on its way to its handler.
struct RequestCall {
    peer: Peer,
    header: RequestHeader,
    /// Bytes of the request, header included.
    size: usize,
    refusal: Option<ErrorCode>,
}

impl RequestCall {
    /// Answers the request. A version that is not offered ends the connection, as in Kafka; only `ApiVersions` has an
    /// answer for it (KIP-511).
    fn answer(self, reader: Reader) -> Result<HandlerOutcome, ConnectionEnd> {
        let RequestHeader {
            api_key,
            api_version,
            correlation_id,
            ..
        } = self.header;
        if versions::is_served(&self.peer.cluster.config, api_key, api_version) {
            return call(api_key, self, reader);
        }
        if api_key == ApiKey::ApiVersions {
            let response = api_18_api_versions::unsupported(&self.peer);
            return Ok(HandlerOutcome::Reply(encode_response(
                api_key,
                0,
                correlation_id,
                &response,
            )?));
        }
        tracing::info!(
            node = self.peer.node,
            api = api_key.name(),
            version = api_version,
            release = self.peer.cluster.config.release.name(),
            "this version is not served"
        );
        Ok(HandlerOutcome::Disconnect)
    }

    fn run<R: RequestGuard<Response: Send>>(
        self,
        mut reader: Reader,
    ) -> Result<HandlerOutcome, ConnectionEnd> {
        let RequestHeader {
            api_version,
            correlation_id,
            ..
        } = self.header;
        let started = Instant::now();
        let request = R::decode(&mut reader, api_version)?;
        // The frame's buffer can be used again once nothing holds a part of it.
        drop(reader);
        let answer = match self.refusal {
            Some(_) if !request.expects_answer() => Handled::Disconnect,
            Some(code) => Handled::Now(request.refuse(&self.peer, api_version, code)),
            None => guard::serve(request, &self.peer, api_version),
        };
        let Self { peer, size, .. } = self;
        let pause_ms = pause(&peer, R::API_KEY, size, started.elapsed());
        let reply = move |mut response: R::Response| -> Result<HandlerOutcome, ConnectionEnd> {
            if !keep(&peer.cluster, R::API_KEY) {
                return Ok(HandlerOutcome::Disconnect);
            }
            let pause_ms = pause_ms.max(response.throttle_time_ms());
            response.set_throttle_time_ms(pause_ms);
            let frame = encode_response(R::API_KEY, api_version, correlation_id, &response)?;
            Ok(match pause_ms {
                1.. => HandlerOutcome::Throttled {
                    frame: Some(frame),
                    pause_ms,
                },
                _ => HandlerOutcome::Reply(frame),
            })
        };
        match answer {
            Handled::Now(response) => reply(response),
            Handled::Silence if pause_ms > 0 => Ok(HandlerOutcome::Throttled {
                frame: None,
                pause_ms,
            }),
            Handled::Silence => Ok(HandlerOutcome::Silence),
            Handled::Disconnect => Ok(HandlerOutcome::Disconnect),
            Handled::Later(later) => Ok(HandlerOutcome::Later(Box::pin(async move {
                reply(later.await)
            }))),
        }
    }
}

/// The time in ms that a client has to pause for a request: for how long it kept the thread busy, and for what it
/// produced.
fn pause(peer: &Peer, api: ApiKey, size: usize, busy: Duration) -> i32 {
    let quotas = &peer.cluster.quotas;
    if !quotas.are_set() {
        return 0;
    }
    let now = peer.cluster.now();
    let client = peer.client_name();
    let for_time = quotas.charge_time(client, busy, now);
    if api != ApiKey::Produce {
        return for_time;
    }
    for_time.max(quotas.charge(Limited::Produce, client, size as f64, now))
}
