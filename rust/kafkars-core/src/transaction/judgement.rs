//! What an error code of a coordinator asks for.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

/// What an error code asks for, whichever request met it. Later ones outweigh earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judgement {
    Done,
    Again,
    Concurrent,
    Elsewhere,
    Abortable,
    MappingLost,
    Fenced,
    Fatal,
}

/// A code with what it is about.
pub(super) type Finding = (Judgement, ErrorCode, Option<Arc<str>>);

pub(super) fn worst(findings: impl Iterator<Item = Finding>) -> Finding {
    let done = (Judgement::Done, ErrorCode::None, None);
    findings.fold(
        done,
        |worst, next| {
            if next.0 > worst.0 { next } else { worst }
        },
    )
}

pub(super) fn judge(code: i16, message: Option<Arc<str>>) -> Finding {
    let code = ErrorCode::from_i16(code);
    let judgement = match code {
        ErrorCode::None => Judgement::Done,
        ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => Judgement::Elsewhere,
        ErrorCode::ConcurrentTransactions => Judgement::Concurrent,
        ErrorCode::InvalidProducerEpoch | ErrorCode::ProducerFenced => Judgement::Fenced,
        ErrorCode::UnknownProducerId | ErrorCode::InvalidProducerIdMapping => {
            Judgement::MappingLost
        }
        ErrorCode::TransactionAbortable
        | ErrorCode::TopicAuthorizationFailed
        | ErrorCode::GroupAuthorizationFailed
        | ErrorCode::InvalidGroupId => Judgement::Abortable,
        // Comes beside the code of the partition that is to blame.
        ErrorCode::OperationNotAttempted => Judgement::Again,
        code if code.retriable() => Judgement::Again,
        _ => Judgement::Fatal,
    };
    (judgement, code, message)
}

/// Whether a request that was refused so has surely changed nothing. A coordinator that is about to move may have written the
/// change all the same.
pub(super) fn is_without_effect(judgement: Judgement, code: ErrorCode) -> bool {
    match judgement {
        Judgement::Concurrent | Judgement::Abortable => true,
        Judgement::Again => matches!(
            code,
            ErrorCode::CoordinatorLoadInProgress
                | ErrorCode::UnknownTopicOrPartition
                | ErrorCode::OperationNotAttempted
        ),
        _ => false,
    }
}

/// Offsets are refused for reasons of the group, which leave the producer whole.
pub(super) fn judge_offset(code: i16, place: String) -> Finding {
    let (judgement, code, message) = judge(code, Some(place.into()));
    let judgement = match (judgement, code) {
        // The group's coordinator is in trouble: another may have it by now.
        (_, ErrorCode::RequestTimedOut) => Judgement::Elsewhere,
        (Judgement::Fatal, ErrorCode::TransactionalIdAuthorizationFailed)
        | (Judgement::Fatal, ErrorCode::UnsupportedForMessageFormat) => Judgement::Fatal,
        (Judgement::Fatal, _) => Judgement::Abortable,
        (judgement, _) => judgement,
    };
    (judgement, code, message)
}
