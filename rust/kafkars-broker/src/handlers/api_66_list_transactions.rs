//! ListTransactions, versions 0 to 2 (KIP-664).
//!
//! Kept: the transactional ids that the node coordinates, by state, by producer, and by how long the transaction runs
//! (version 1, KIP-994), and by a pattern of the whole id (2, KIP-1152).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_transactions::{
    ListTransactionsRequest, ListTransactionsResponse, TransactionState,
};

use super::{Handled, Peer, Serve};
use crate::nodes::CoordinatorType;
use crate::pattern;
use crate::transactions::{Transaction, TransactionStage};

/// States a client may name; the last two are never seen here.
const STATES: &[&str] = &[
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
];

impl Serve for ListTransactionsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ListTransactionsResponse> {
        let text = self.transactional_id_pattern.as_deref();
        let pattern = text.filter(|text| !text.is_empty()).map(pattern::whole);
        let Ok(pattern) = pattern.transpose() else {
            return Handled::Now(self.refuse(peer, version, ErrorCode::InvalidRegularExpression));
        };
        let cluster = &peer.cluster;
        let now = cluster.now();
        let state = cluster.state();
        let listed = |(id, transaction): &(&str, &Transaction)| {
            cluster.coordinates(peer.node, CoordinatorType::Transaction, id)
                && pattern.as_ref().is_none_or(|pattern| pattern.is_match(id))
                && is_wanted(&self, transaction, now)
        };
        let describe = |(id, transaction): (&str, &Transaction)| TransactionState {
            transactional_id: id.to_owned(),
            producer_id: transaction.producer_id,
            transaction_state: transaction.stage.name().to_owned(),
        };
        let transactions = state.transactions.iter();
        let unknown = self.state_filters.iter();
        Handled::Now(ListTransactionsResponse {
            throttle_time_ms: 0,
            error_code: 0,
            unknown_state_filters: unknown
                .filter(|name| !STATES.contains(&name.as_str()))
                .cloned()
                .collect(),
            transaction_states: transactions.filter(listed).map(describe).collect(),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ListTransactionsResponse {
        ListTransactionsResponse {
            error_code: code.code(),
            ..ListTransactionsResponse::default()
        }
    }
}

fn is_wanted(request: &ListTransactionsRequest, transaction: &Transaction, now: i64) -> bool {
    let ListTransactionsRequest {
        state_filters,
        producer_id_filters,
        duration_filter,
        ..
    } = request;
    let of_producer =
        producer_id_filters.is_empty() || producer_id_filters.contains(&transaction.producer_id);
    let name = transaction.stage.name();
    let in_state = state_filters.is_empty() || state_filters.iter().any(|filter| filter == name);
    let runs = transaction.stage == TransactionStage::Ongoing || transaction.is_prepared();
    let long_enough = *duration_filter < 0
        || runs && now.saturating_sub(transaction.started_at) > *duration_filter;
    of_producer && in_state && long_enough
}
