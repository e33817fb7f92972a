//! Faults on purpose: requests that are refused, delayed, dropped or cut off, and the record of all that came in.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use kafkars_protocol::{ApiKey, ErrorCode};
use parking_lot::Mutex;

/// What happens to a request instead of its being handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is handled after a while; what follows on its connection waits too.
    Delay(Duration),
    /// It is forgotten: no effect, no answer, and the connection stays open.
    Drop,
    /// It has no effect, and its connection is closed.
    Disconnect,
    /// It has its effect, but instead of the answer its connection is closed.
    DisconnectAfter,
    /// It has no effect and is answered with this error, in every topic and partition it names.
    Error(ErrorCode),
}

/// Which requests an action is for, and how often.
pub struct Intercept {
    api: ApiKey,
    node: Option<i32>,
    times: Option<u32>,
    predicate: Option<Predicate>,
    action: Action,
}

type Predicate = Box<dyn Fn(&SeenRequest) -> bool + Send>;

impl Intercept {
    /// Takes every request of one API, until the intercept is removed.
    pub fn new(api: ApiKey, action: Action) -> Self {
        Self {
            api,
            node: None,
            times: None,
            predicate: None,
            action,
        }
    }

    /// Only this many requests.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Only requests to this node.
    #[must_use]
    pub fn node(mut self, node: i32) -> Self {
        self.node = Some(node);
        self
    }

    /// Only requests that `predicate` accepts. It runs on the broker's thread and must be quick.
    #[must_use]
    pub fn when(mut self, predicate: impl Fn(&SeenRequest) -> bool + Send + 'static) -> Self {
        self.predicate = Some(Box::new(predicate));
        self
    }

    fn takes(&self, request: &SeenRequest) -> bool {
        self.api == request.api
            && self.times != Some(0)
            && self.node.is_none_or(|node| node == request.node)
            && self
                .predicate
                .as_ref()
                .is_none_or(|predicate| predicate(request))
    }
}

impl fmt::Debug for Intercept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Intercept")
            .field("api", &self.api)
            .field("node", &self.node)
            .field("times", &self.times)
            .field("action", &self.action)
            .finish_non_exhaustive()
    }
}

/// Names an intercept, to remove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InterceptId(u64);

/// A request that reached the broker, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRequest {
    /// The node it was sent to.
    pub node: i32,
    /// The connection it came on: numbered from 1 in the order in which connections were accepted.
    pub connection: u64,
    /// What it asks for.
    pub api: ApiKey,
    /// In which version.
    pub version: i16,
    /// The client's number for it.
    pub correlation_id: i32,
    /// The client's name for itself.
    pub client_id: Option<String>,
    /// Its bytes, header included.
    pub size: usize,
    /// When it was read.
    pub at: Instant,
}

/// The intercepts that are set, and the requests that were seen.
#[derive(Debug)]
pub(crate) struct Control {
    recorded: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    intercepts: Vec<(InterceptId, Intercept)>,
    last_id: u64,
    seen: VecDeque<SeenRequest>,
}

impl Control {
    pub(crate) fn new(recorded: usize) -> Self {
        Self {
            recorded,
            inner: Mutex::new(Inner::default()),
        }
    }

    /// Records a request and gives what is to happen to it: the first intercept that takes it decides.
    pub(crate) fn observe(&self, request: SeenRequest) -> Option<Action> {
        let mut inner = self.inner.lock();
        let taken = inner
            .intercepts
            .iter_mut()
            .find(|(_, intercept)| intercept.takes(&request));
        let action = taken.map(|(_, intercept)| {
            intercept.times = intercept.times.map(|times| times.saturating_sub(1));
            intercept.action
        });
        inner
            .intercepts
            .retain(|(_, intercept)| intercept.times != Some(0));
        if self.recorded > 0 {
            if inner.seen.len() >= self.recorded {
                inner.seen.pop_front();
            }
            inner.seen.push_back(request);
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

    /// Whether the intercept was still set.
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
        self.inner.lock().seen.iter().cloned().collect()
    }

    pub(crate) fn forget_seen(&self) {
        self.inner.lock().seen.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(api: ApiKey, node: i32) -> SeenRequest {
        let (connection, correlation_id) = (1, 0);
        SeenRequest {
            node,
            connection,
            api,
            version: 0,
            correlation_id,
            client_id: None,
            size: 10,
            at: Instant::now(),
        }
    }

    #[test]
    fn an_intercept_ends_after_its_times() {
        let control = Control::new(10);
        control.intercept(Intercept::new(ApiKey::Fetch, Action::Drop).times(2));
        let actions: Vec<_> = (0..3)
            .map(|_| control.observe(request(ApiKey::Fetch, 1)))
            .collect();
        assert_eq!(actions, [Some(Action::Drop), Some(Action::Drop), None]);
    }

    #[test]
    fn intercepts_choose_by_api_node_and_predicate() {
        let control = Control::new(10);
        let id = control.intercept(
            Intercept::new(ApiKey::Produce, Action::Disconnect)
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
            Some(Action::Disconnect)
        );
        assert!(control.remove(id));
        assert!(!control.remove(id));
        assert_eq!(control.observe(request(ApiKey::Produce, 2)), None);
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
}
