//! What is kept of a cursor whose partition goes in a rebalance and comes back in it.

use kafkars_protocol::Uuid;

use super::cursor::{Cursor, Settled, Skipped, StartAt};
use super::position::FetchPosition;

/// What the application has made of a partition, and what is known of its log; nothing that was fetched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptCursor {
    position: Option<FetchPosition>,
    start: StartAt,
    paused: bool,
    skipped: Skipped,
    settled: Option<Settled>,
    topic_id: Uuid,
    former_id: Uuid,
    is_unread_since: bool,
    gone_at: Option<i64>,
    high_watermark: i64,
    last_stable_offset: i64,
    log_start_offset: i64,
}

impl Cursor {
    pub(crate) fn to_keep(&self) -> KeptCursor {
        KeptCursor {
            position: self.fetch_position(),
            start: self.start,
            paused: self.is_asked_to_pause,
            skipped: self.skipped,
            settled: self.settled,
            topic_id: self.topic_id,
            former_id: self.former_id,
            is_unread_since: self.is_unread_since,
            gone_at: self.gone_at,
            high_watermark: self.high_watermark,
            last_stable_offset: self.last_stable_offset,
            log_start_offset: self.log_start_offset,
        }
    }

    /// Goes on where an earlier cursor of the partition stood. This one has fetched nothing yet.
    pub(crate) fn go_on_from(&mut self, kept: KeptCursor) {
        self.start = kept.start;
        match kept.position {
            Some(position) => self.set_position(position),
            None => self.reset(kept.start),
        }
        self.is_asked_to_pause = kept.paused;
        self.paused = kept.paused || self.is_unwanted;
        self.skipped = kept.skipped;
        self.settled = kept.settled;
        self.topic_id = kept.topic_id;
        self.former_id = kept.former_id;
        self.is_unread_since = kept.is_unread_since;
        self.gone_at = kept.gone_at;
        self.high_watermark = kept.high_watermark;
        self.last_stable_offset = kept.last_stable_offset;
        self.log_start_offset = kept.log_start_offset;
    }
}
