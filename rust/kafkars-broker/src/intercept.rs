//! Faults on purpose: which requests, how often, and what becomes of them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use kafkars_protocol::{ApiKey, ErrorCode, Frame, LENGTH_PREFIX};

use crate::requests::SeenRequest;

/// What happens to a request instead of its being handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is handled after a while, by the machine's clock; what follows on its connection waits too.
    Delay(Duration),
    /// It is forgotten: no effect, no answer, and the connection stays open.
    Drop,
    /// It has no effect, and its connection is closed.
    Disconnect,
    /// It has its effect, but instead of the answer its connection is closed.
    DisconnectAfter,
    /// It has no effect and is answered with this error, in every topic and partition it names.
    Error(ErrorCode),
    /// It has its effect, and its answer is damaged on its way.
    Corrupt(Corruption),
}

/// How an answer is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corruption {
    /// One byte is inverted: by its position after the length prefix, where 0 to 3 are the correlation id; beyond the end it
    /// is the last.
    FlipByte(usize),
    /// The length prefix says this instead of the length.
    Length(i32),
    /// Only so many bytes leave, length prefix included, then the connection is closed.
    Truncate(usize),
    /// The correlation id is that of no request.
    CorrelationId,
}

/// Which requests an action is for, and how often.
pub struct Intercept {
    api: Option<ApiKey>,
    node: Option<i32>,
    predicate: Option<Predicate>,
    pub(crate) times: Option<u32>,
    pub(crate) action: Action,
}

/// Shared, because it runs while nothing of the broker is locked.
pub(crate) type Predicate = Arc<dyn Fn(&SeenRequest) -> bool + Send + Sync>;

impl Intercept {
    /// Takes every request of one API, until the intercept is removed.
    pub fn new(api: ApiKey, action: Action) -> Self {
        Self {
            api: Some(api),
            ..Self::any(action)
        }
    }

    /// Takes every request of any API, until the intercept is removed.
    pub fn any(action: Action) -> Self {
        Self {
            api: None,
            node: None,
            predicate: None,
            times: None,
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

    /// Only requests that `predicate` accepts. It runs on the broker's thread, which serves nobody meanwhile; it may look at
    /// the broker but must not stop it or a node.
    #[must_use]
    pub fn when(
        mut self,
        predicate: impl Fn(&SeenRequest) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicate = Some(Arc::new(predicate));
        self
    }

    /// Whether the request may be meant, as far as can be told without the predicate.
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

impl Corruption {
    /// The damaged bytes, and whether the connection is closed behind them.
    pub(crate) fn apply(self, frame: &Frame) -> (Bytes, bool) {
        let mut bytes = BytesMut::from(frame.to_bytes());
        match self {
            Self::FlipByte(position) => {
                let last = bytes.len().saturating_sub(1);
                if let Some(byte) = bytes.get_mut(last.min(LENGTH_PREFIX.saturating_add(position)))
                {
                    *byte ^= 0xff;
                }
            }
            Self::Length(length) => {
                if let Some(prefix) = bytes.first_chunk_mut::<LENGTH_PREFIX>() {
                    *prefix = length.to_be_bytes();
                }
            }
            Self::Truncate(length) => bytes.truncate(length),
            Self::CorrelationId => {
                let id = bytes.get_mut(LENGTH_PREFIX..LENGTH_PREFIX + 4);
                id.into_iter().flatten().for_each(|byte| *byte ^= 0x55);
            }
        }
        (bytes.freeze(), matches!(self, Self::Truncate(_)))
    }
}
