//! Names the broker that owes an answer to a call whose time is over.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ApiKey;

use super::handle::Client;
use crate::net::Unanswered;

/// A broker that has not answered for so long counts as what a call waits for, however long the call has waited, and
/// may not be a broker of the cluster any more.
pub(crate) const LONG: Duration = Duration::from_secs(1);

impl Client {
    /// Describes the request that has waited longest, of those that `counts` selects. Requests that were sent late in a
    /// call that has `waited` do not count: something else has kept the call from its end.
    pub(crate) fn silence(
        &self,
        waited: Duration,
        counts: impl Fn(i32, ApiKey) -> bool,
    ) -> Option<Arc<str>> {
        let longest = self.longest_unanswered(counts)?;
        let is_long = longest.waited >= LONG.min(waited / 2);
        is_long.then(|| longest.to_string().into())
    }

    fn longest_unanswered(&self, counts: impl Fn(i32, ApiKey) -> bool) -> Option<Unanswered> {
        let brokers = self.core.brokers.read();
        let each = brokers
            .iter()
            .filter_map(|(node, broker)| broker.unanswered(&|request| counts(*node, request)));
        each.max_by_key(|unanswered| unanswered.waited)
    }
}
