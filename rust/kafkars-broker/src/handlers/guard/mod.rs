//! Access control around the handlers: which part of a request its client may not make.
//!
//! What is refused is taken out of the request, refused by the handler as a fault on purpose would be, so that the
//! error stands in the right places, and put beside the answer for the rest. Nothing of this runs in a cluster without
//! access control.

mod cluster;
mod configs;
mod groups;
mod topics;
mod transactions;

use kafkars_protocol::{ErrorCode, Uuid};

use super::operations::NOT_ASKED;
use super::{Handled, Peer, RequestGuard};
use crate::security::acl::{AclOperation, Authorized, CLUSTER, ResourceType};
use crate::security::session::ANONYMOUS;

/// A list in a request of which each item needs leave: what is denied is refused in a request of its own, and its
/// answers stand beside the others.
macro_rules! each_of {
    ($request:ident . $items:ident, |$peer:ident, $it:ident| $may:expr, $code:expr => $response:ident . $answers:ident) => {
        fn take_denied(&mut self, $peer: &Peer, _version: i16) -> Vec<(Self, ErrorCode)> {
            let denied = split(&mut self.$items, |$it| $may);
            part(denied, $code, |$items| {
                let mut part: $request = self.clone();
                part.$items = $items;
                part
            })
        }

        fn merge(answer: &mut $response, refused: $response) {
            answer.$answers.extend(refused.$answers);
        }
    };
}
use each_of;

/// Serves what a client may ask for, and refuses the rest.
pub(super) fn serve<R>(mut request: R, peer: &Peer, version: i16) -> Handled<R::Response>
where
    R: RequestGuard<Response: Send>,
{
    if peer.cluster.authorizer.is_none() {
        return request.serve(peer, version);
    }
    let expects_answer = request.expects_answer();
    if let Some(refused) = request.answer_refused(peer, version) {
        return match expects_answer {
            true => Handled::Now(refused),
            false => Handled::Disconnect,
        };
    }
    let denied = request.take_denied(peer, version);
    let denied = denied.into_iter();
    let refused: Vec<R::Response> = denied
        .map(|(part, code)| part.refuse(peer, version, code))
        .collect();
    if !refused.is_empty() && !expects_answer {
        // What may be done is done, and the client told in the one way there is.
        drop(request.serve(peer, version));
        return Handled::Disconnect;
    }
    let client = peer.clone();
    let finish = move |mut answer: R::Response| {
        R::conceal(&mut answer, &client);
        for part in refused {
            R::merge(&mut answer, part);
        }
        answer
    };
    match request.serve(peer, version) {
        Handled::Now(answer) => Handled::Now(finish(answer)),
        Handled::Later(later) => Handled::Later(Box::pin(async move { finish(later.await) })),
        other => other,
    }
}

impl Peer {
    /// True if the client may do something with a resource; always in a cluster without access control.
    pub(crate) fn may(&self, operation: AclOperation, kind: ResourceType, name: &str) -> bool {
        let client = self.authorized();
        client.is_none_or(|client| client.may(operation, kind, name))
    }

    /// True if the client may do something with any resource of a kind at all.
    fn may_some(&self, operation: AclOperation, kind: ResourceType) -> bool {
        let client = self.authorized();
        client.is_none_or(|client| client.may_some(operation, kind))
    }

    /// The client with what it may do; none in a cluster without access control.
    pub(crate) fn authorized(&self) -> Option<Authorized> {
        let authorizer = self.cluster.authorizer.as_ref()?;
        let name = self.user.as_deref().unwrap_or(ANONYMOUS);
        let host = self.address.to_string();
        Some(Authorized::new(authorizer, format!("User:{name}"), host))
    }

    /// True if the client may do something with a topic.
    pub(crate) fn may_topic(&self, operation: AclOperation, topic: &str) -> bool {
        self.may(operation, ResourceType::Topic, topic)
    }

    /// True if the client may do something with the topic of this id. An id that is not known is left to the handler.
    fn may_topic_id(&self, operation: AclOperation, id: Uuid) -> bool {
        let name = {
            let state = self.cluster.state();
            state.topic_by_id(id).map(|topic| topic.name.clone())
        };
        name.is_none_or(|name| self.may_topic(operation, &name))
    }

    /// True if the client may do something with a topic that a request names, or else tells the id of.
    fn may_either(&self, operation: AclOperation, name: &str, id: Uuid) -> bool {
        if name.is_empty() && !id.is_zero() {
            self.may_topic_id(operation, id)
        } else {
            self.may_topic(operation, name)
        }
    }

    fn may_group(&self, operation: AclOperation, group: &str) -> bool {
        self.may(operation, ResourceType::Group, group)
    }

    fn may_transaction(&self, operation: AclOperation, id: &str) -> bool {
        self.may(operation, ResourceType::TransactionalId, id)
    }

    fn may_cluster(&self, operation: AclOperation) -> bool {
        self.may(operation, ResourceType::Cluster, CLUSTER)
    }

    /// Takes from some operations, one bit for each of Kafka's numbers, those that the client may not do (KIP-430).
    fn allowed(&self, operations: i32, kind: ResourceType, name: &str) -> i32 {
        if operations == NOT_ASKED {
            return operations;
        }
        let is_set = |code: &i8| operations & (1 << code) != 0;
        let codes = (0..31i8).filter(is_set);
        let allowed = codes.filter_map(AclOperation::from_code);
        let allowed = allowed.filter(|operation| self.may(*operation, kind, name));
        allowed.fold(0, |bits, operation| bits | (1 << operation.code()))
    }
}

/// Gives the code, unless the thing may be done.
fn unless(may: bool, code: ErrorCode) -> Option<ErrorCode> {
    (!may).then_some(code)
}

/// Leaves the items that may be done, and gives the others.
fn split<T>(items: &mut Vec<T>, may: impl FnMut(&T) -> bool) -> Vec<T> {
    let (kept, denied) = std::mem::take(items).into_iter().partition(may);
    *items = kept;
    denied
}

/// Makes a request of the denied items, if there are any.
fn part<R, T>(
    denied: Vec<T>,
    code: ErrorCode,
    request: impl FnOnce(Vec<T>) -> R,
) -> Vec<(R, ErrorCode)> {
    if denied.is_empty() {
        return Vec::new();
    }
    vec![(request(denied), code)]
}
