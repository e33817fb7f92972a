//! What to do about the error codes of coordinators.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

/// What to do about an error code. Of several codes in a response the action that stands last here counts.
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

/// An error code with its action, and what it is about.
pub(super) type Finding = (ErrorAction, ErrorCode, Option<Arc<str>>);

/// Of codes with the same action the first counts, or one that says more than that there is another.
pub(super) fn worst(findings: impl Iterator<Item = Finding>) -> Finding {
    let weight = |(action, code, _): &Finding| (*action, *code != ErrorCode::OperationNotAttempted);
    let done = (ErrorAction::Done, ErrorCode::None, None);
    findings.fold(done, |worst, next| {
        if weight(&next) > weight(&worst) {
            next
        } else {
            worst
        }
    })
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
        ErrorCode::OperationNotAttempted => ErrorAction::Again,
        code if code.retriable() => ErrorAction::Again,
        _ => ErrorAction::Fatal,
    };
    (error_action, code, message)
}

/// True if a request that was refused with this code has surely changed nothing. A coordinator that is about to move
/// may have written the change all the same.
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

/// As `judge`, for TxnOffsetCommit, whose errors mostly concern the group and are not fatal to the producer.
pub(super) fn judge_offset(code: i16, place: String) -> Finding {
    let (error_action, code, message) = judge(code, Some(place.into()));
    let error_action = match (error_action, code) {
        // The group's coordinator cannot write, and another broker may have taken over.
        (_, ErrorCode::RequestTimedOut) => ErrorAction::Elsewhere,
        (ErrorAction::Fatal, ErrorCode::TransactionalIdAuthorizationFailed)
        | (ErrorAction::Fatal, ErrorCode::UnsupportedForMessageFormat) => ErrorAction::Fatal,
        (ErrorAction::Fatal, _) => ErrorAction::Abortable,
        (error_action, _) => error_action,
    };
    (error_action, code, message)
}
