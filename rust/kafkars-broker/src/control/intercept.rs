//! Faults on purpose: which requests they are for, and how often.

use std::fmt;
use std::sync::Arc;

use kafkars_protocol::ApiKey;

use super::fault::FaultAction;
use super::requests::SeenRequest;

/// A fault with the requests it is for, and how often it strikes.
pub struct Intercept {
    api: Option<ApiKey>,
    node: Option<i32>,
    predicate: Option<Predicate>,
    pub(crate) times: Option<u32>,
    pub(crate) action: FaultAction,
}

/// A test of requests. It is shared, because it runs while nothing of the broker is locked.
pub(crate) type Predicate = Arc<dyn Fn(&SeenRequest) -> bool + Send + Sync>;

impl Intercept {
    /// Takes every request of one API, until the intercept is removed.
    pub fn new(api: ApiKey, action: FaultAction) -> Self {
        Self {
            api: Some(api),
            ..Self::any(action)
        }
    }

    /// Takes every request of any API, until the intercept is removed.
    pub fn any(action: FaultAction) -> Self {
        Self {
            api: None,
            node: None,
            predicate: None,
            times: None,
            action,
        }
    }

    /// Limits the intercept to this many requests.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Limits the intercept to requests to this node.
    #[must_use]
    pub fn node(mut self, node: i32) -> Self {
        self.node = Some(node);
        self
    }

    /// Limits the intercept to requests that `predicate` accepts. It runs on the broker's thread, which serves nobody
    /// meanwhile; it may look at the broker but must not stop it or a node.
    #[must_use]
    pub fn when(
        mut self,
        predicate: impl Fn(&SeenRequest) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicate = Some(Arc::new(predicate));
        self
    }

    /// True if the request may be meant, as far as can be told without the predicate.
    pub(crate) fn may_take(&self, request: &SeenRequest) -> bool {
        self.api.is_none_or(|api| api == request.api)
            && self.times != Some(0)
            && self.node.is_none_or(|node| node == request.node)
    }

    pub(crate) fn predicate(&self) -> Option<Predicate> {
        self.predicate.clone()
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
pub struct InterceptId(pub(crate) u64);

impl InterceptId {
    /// The id as a number, for those who cannot hold the type.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The id that has this number.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}
