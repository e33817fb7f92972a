//! Consumer group membership: joining, owning partitions, committing offsets.
//!
//! [`Membership`] is one interface over Kafka's two group protocols. It does no I/O and reads no clock. A driver feeds
//! it commands of the application and outcomes of requests, each with the time, and after each of them
//!
//! 1. carries out every [`Action`] of [`Membership::next_action`],
//! 2. hands every [`GroupEvent`] of [`Membership::next_event`] to the application, in order, and reports the end of
//!    each change of ownership with [`Membership::change_done`],
//! 3. sleeps until [`Membership::wake_at`], and then asks for actions again.
//!
//! [`CommitQueue`] turns offsets into commits that a stale member cannot make.

mod action;
pub mod assignor;
mod classic;
mod commit;
mod common;
mod consumer;
mod coordinator;
mod embedded;
mod error;
mod event;
mod gone_topics;
mod leave;
mod lookup;
mod member;
mod membership;
mod ownership;
mod pace;
mod poll_clock;
#[cfg(test)]
mod tests;

pub use self::action::{
    Action, AssignorOutcome, AssignorWork, GroupCall, GroupRequest, GroupResponse, LeaveGroup,
    RequestFailure, RequestId,
};
pub use self::commit::{
    CommitCall, CommitError, CommitErrorAction, CommitId, CommitOutcome, CommitQueue,
    LONGEST_QUEUE, OffsetAndMetadata, Offsets, error_action,
};
pub use self::consumer::member_id;
pub use self::error::GroupError;
pub use self::event::{Change, ChangeId, ChangeKind, GroupEvent};
pub use self::leave::{Leave, LeaveOperation};
pub use self::member::{GroupMemberIdentity, MembershipState, Subscription};
pub use self::membership::Membership;
