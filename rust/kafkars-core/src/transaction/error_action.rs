//! What an error code of a coordinator asks for.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

/// What an error code asks for, whichever request met it. Later ones outweigh earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ErrorAction {
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
pub(super) type Finding = (ErrorAction, ErrorCode, Option<Arc<str>>);

pub(super) fn worst(findings: impl Iterator<Item = Finding>) -> Finding {
    let done = (ErrorAction::Done, ErrorCode::None, None);
    findings.fold(
        done,
        |worst, next| {
            if next.0 > worst.0 { next } else { worst }
        },
    )
}

pub(super) fn judge(code: i16, message: Option<Arc<str>>) -> Finding {
    let code = ErrorCode::from_i16(code);
    let error_action = match code {
        ErrorCode::None => ErrorAction::Done,
        ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => ErrorAction::Elsewhere,
        ErrorCode::ConcurrentTransactions => ErrorAction::Concurrent,
        ErrorCode::InvalidProducerEpoch | ErrorCode::ProducerFenced => ErrorAction::Fenced,
        ErrorCode::UnknownProducerId | ErrorCode::InvalidProducerIdMapping => {
            ErrorAction::MappingLost
        }
        ErrorCode::TransactionAbortable
        | ErrorCode::TopicAuthorizationFailed
        | ErrorCode::GroupAuthorizationFailed
        | ErrorCode::InvalidGroupId => ErrorAction::Abortable,
        // Comes beside the code of the partition that is to blame.
        ErrorCode::OperationNotAttempted => ErrorAction::Again,
        code if code.retriable() => ErrorAction::Again,
        _ => ErrorAction::Fatal,
    };
    (error_action, code, message)
}

/// Whether a request that was refused so has surely changed nothing. A coordinator that is about to move may have
/// written the change all the same.
pub(super) fn is_without_effect(error_action: ErrorAction, code: ErrorCode) -> bool {
    match error_action {
        ErrorAction::Concurrent | ErrorAction::Abortable => true,
        ErrorAction::Again => matches!(
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
    let (error_action, code, message) = judge(code, Some(place.into()));
    let error_action = match (error_action, code) {
        // The group's coordinator is in trouble: another may have it by now.
        (_, ErrorCode::RequestTimedOut) => ErrorAction::Elsewhere,
        (ErrorAction::Fatal, ErrorCode::TransactionalIdAuthorizationFailed)
        | (ErrorAction::Fatal, ErrorCode::UnsupportedForMessageFormat) => ErrorAction::Fatal,
        (ErrorAction::Fatal, _) => ErrorAction::Abortable,
        (error_action, _) => error_action,
    };
    (error_action, code, message)
}
