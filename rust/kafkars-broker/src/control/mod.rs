//! Tests steer the broker here: by the faults that are set, and by the record of all requests that came in.

pub(crate) mod fault;
pub(crate) mod intercept;
pub(crate) mod link_shaper;
pub(crate) mod requests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use fault::FaultAction;
use intercept::{Intercept, InterceptId, Predicate};
use requests::{Requests, SeenRequest};

/// The intercepts that are set, and the requests that were seen.
#[derive(Debug)]
pub(crate) struct Control {
    inner: Mutex<ControlState>,
    arrived: Condvar,
}

#[derive(Debug)]
struct ControlState {
    intercepts: Vec<(InterceptId, Intercept)>,
    last_id: u64,
    hits: HashMap<InterceptId, u64>,
    requests: Requests,
    watched: bool,
}

impl Control {
    pub(crate) fn new(recorded: usize) -> Self {
        let inner = ControlState {
            intercepts: Vec::new(),
            last_id: 0,
            hits: HashMap::new(),
            requests: Requests::new(recorded),
            watched: false,
        };
        Self {
            inner: Mutex::new(inner),
            arrived: Condvar::new(),
        }
    }

    /// Records a request and gives what is to happen to it: the first intercept that takes it decides.
    pub(crate) fn observe(&self, mut request: SeenRequest) -> Option<FaultAction> {
        let candidates = self.inner.lock().candidates(&request);
        for (id, predicate) in candidates {
            // Nothing is locked while it runs: it may call the broker, and it may have to wait for an interpreter whose
            // holder does so.
            if predicate.is_some_and(|accepts| !accepts(&request)) {
                continue;
            }
            request.action = self.inner.lock().take(id);
            if request.action.is_some() {
                break;
            }
        }
        let action = request.action;
        let mut inner = self.inner.lock();
        inner.requests.record(request);
        if inner.watched {
            inner.watched = false;
            self.arrived.notify_all();
        }
        action
    }

    pub(crate) fn intercept(&self, intercept: Intercept) -> InterceptId {
        let mut inner = self.inner.lock();
        inner.last_id += 1;
        let id = InterceptId(inner.last_id);
        inner.intercepts.push((id, intercept));
        id
    }

    /// The number of requests that an intercept has taken.
    pub(crate) fn hits(&self, id: InterceptId) -> u64 {
        self.inner.lock().hits.get(&id).copied().unwrap_or(0)
    }

    /// True if the intercept was still set.
    pub(crate) fn remove(&self, id: InterceptId) -> bool {
        let mut inner = self.inner.lock();
        let before = inner.intercepts.len();
        inner.intercepts.retain(|(other, _)| *other != id);
        inner.intercepts.len() < before
    }

    pub(crate) fn clear(&self) {
        self.inner.lock().intercepts.clear();
    }

    pub(crate) fn seen(&self) -> Vec<SeenRequest> {
        self.inner.lock().requests.latest().cloned().collect()
    }

    pub(crate) fn forget_seen(&self) {
        self.inner.lock().requests.forget();
    }

    /// The number of requests there have been, once there are more than `known` or the time is up.
    pub(crate) fn wait_for_more_than(&self, known: u64, limit: Duration) -> u64 {
        let deadline = Instant::now() + limit;
        let mut inner = self.inner.lock();
        while inner.requests.count <= known {
            inner.watched = true;
            if self.arrived.wait_until(&mut inner, deadline).timed_out() {
                break;
            }
        }
        inner.requests.count
    }
}

impl ControlState {
    fn candidates(&self, request: &SeenRequest) -> Vec<(InterceptId, Option<Predicate>)> {
        let may_take = |(_, intercept): &&(InterceptId, Intercept)| intercept.may_take(request);
        let candidate = |(id, intercept): &(InterceptId, Intercept)| (*id, intercept.predicate());
        let intercepts = self.intercepts.iter();
        intercepts.filter(may_take).map(candidate).collect()
    }

    /// The action of an intercept, unless it was removed or has run out meanwhile.
    fn take(&mut self, id: InterceptId) -> Option<FaultAction> {
        let index = self.intercepts.iter().position(|(other, _)| *other == id)?;
        let (_, intercept) = self.intercepts.get_mut(index)?;
        let action = intercept.action;
        intercept.times = intercept.times.map(|times| times.saturating_sub(1));
        if intercept.times == Some(0) {
            self.intercepts.remove(index);
        }
        *self.hits.entry(id).or_default() += 1;
        Some(action)
    }
}

#[cfg(test)]
mod tests {
    use kafkars_protocol::ApiKey;

    use super::*;

    fn request(api: ApiKey, node: i32) -> SeenRequest {
        SeenRequest {
            node,
            connection: 1,
            api,
            version: 0,
            correlation_id: 0,
            client_id: None,
            size: 10,
            time: 0,
            action: None,
            body: None,
        }
    }

    #[test]
    fn an_intercept_ends_after_its_times() {
        let control = Control::new(10);
        let id = control.intercept(Intercept::new(ApiKey::Fetch, FaultAction::Drop).times(2));
        let actions: Vec<_> = (0..3)
            .map(|_| control.observe(request(ApiKey::Fetch, 1)))
            .collect();
        assert_eq!(
            actions,
            [Some(FaultAction::Drop), Some(FaultAction::Drop), None]
        );
        assert_eq!(control.hits(id), 2);
        assert!(!control.remove(id));
    }

    #[test]
    fn intercepts_choose_by_api_node_and_predicate() {
        let control = Control::new(10);
        let id = control.intercept(
            Intercept::new(ApiKey::Produce, FaultAction::Disconnect)
                .node(2)
                .when(|seen| seen.size == 10),
        );
        assert_eq!(control.observe(request(ApiKey::Fetch, 2)), None);
        assert_eq!(control.observe(request(ApiKey::Produce, 1)), None);
        assert_eq!(
            control.observe(SeenRequest {
                size: 11,
                ..request(ApiKey::Produce, 2)
            }),
            None
        );
        assert_eq!(
            control.observe(request(ApiKey::Produce, 2)),
            Some(FaultAction::Disconnect)
        );
        assert!(control.remove(id));
        assert!(!control.remove(id));
        assert_eq!(control.observe(request(ApiKey::Produce, 2)), None);
    }

    #[test]
    fn the_first_that_takes_a_request_decides_and_any_api_can_be_meant() {
        let control = Control::new(10);
        control.intercept(Intercept::new(ApiKey::Fetch, FaultAction::Drop).when(|_| false));
        control.intercept(Intercept::any(FaultAction::Disconnect).times(1));
        control.intercept(Intercept::new(ApiKey::Fetch, FaultAction::DisconnectAfter));
        let actions = [(); 2].map(|()| control.observe(request(ApiKey::Fetch, 1)));
        let expected = [FaultAction::Disconnect, FaultAction::DisconnectAfter];
        assert_eq!(actions, expected.map(Some));
        let seen: Vec<_> = control.seen().iter().map(|seen| seen.action).collect();
        assert_eq!(seen, actions);
    }

    #[test]
    fn a_predicate_may_use_the_control_it_is_set_on() {
        let control = std::sync::Arc::new(Control::new(10));
        let inner = std::sync::Arc::clone(&control);
        let predicate = move |_: &SeenRequest| {
            inner.clear();
            true
        };
        control.intercept(Intercept::any(FaultAction::Drop).when(predicate));
        // The intercept was removed while it decided, so it decides nothing.
        assert_eq!(control.observe(request(ApiKey::Fetch, 1)), None);
    }

    #[test]
    fn only_the_latest_requests_are_remembered() {
        let control = Control::new(2);
        for node in 1..=3 {
            control.observe(request(ApiKey::Metadata, node));
        }
        let nodes: Vec<_> = control.seen().iter().map(|seen| seen.node).collect();
        assert_eq!(nodes, [2, 3]);
    }

    #[test]
    fn waiting_for_requests_ends_with_the_next_one_or_in_time() {
        let control = Control::new(2);
        assert_eq!(control.wait_for_more_than(0, Duration::from_millis(1)), 0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| control.wait_for_more_than(0, Duration::from_secs(20)));
            control.observe(request(ApiKey::Metadata, 1));
            assert_eq!(waiting.join().unwrap(), 1);
        });
    }
}
