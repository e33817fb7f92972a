//! Transactional ids found by a pattern (KIP-1152), on the embedded broker, or as `members` says on a real Kafka.

use kafkars_broker::BrokerConfig;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_transactions::ListTransactionsRequest;

use crate::members::until;
use crate::support::{Wire, start};

const TRANSACTION: i8 = 1;

#[test]
fn transactional_ids_are_found_by_a_pattern_of_the_whole_id() {
    let real = std::env::var("KAFKARS_WIRE_BROKER").ok();
    let broker = real.is_none().then(|| start(BrokerConfig::default()));
    let mut wire = match (&broker, real) {
        (Some(broker), _) => Wire::to(broker),
        (None, address) => Wire::connect(address.unwrap().parse().unwrap()),
    };
    let ids = ["patterns-a", "patterns-b", "patterns-b-2"];
    for id in ids {
        let look = FindCoordinatorRequest {
            key_type: TRANSACTION,
            coordinator_keys: vec![id.to_owned()],
            ..FindCoordinatorRequest::default()
        };
        let begin = InitProducerIdRequest {
            transactional_id: Some(id.to_owned()),
            transaction_timeout_ms: 10_000,
            producer_id: -1,
            producer_epoch: -1,
        };
        until("the id has a coordinator", || {
            let found = wire.call(&look, 4).coordinators.remove(0).error_code;
            let ready = found == 0 && wire.call(&begin, 5).error_code == 0;
            ready.then_some(())
        });
    }
    let mut list = |pattern: &str| {
        let request = ListTransactionsRequest {
            duration_filter: -1,
            transactional_id_pattern: Some(pattern.to_owned()),
            ..ListTransactionsRequest::default()
        };
        let answer = wire.call(&request, 2);
        let found = answer.transaction_states.into_iter();
        let mut found: Vec<String> = found.map(|it| it.transactional_id).collect();
        found.sort_unstable();
        (answer.error_code, found)
    };
    assert_eq!(list("patterns-.*").1, ids);
    assert_eq!(list("patterns-[ab]").1, ids[..2]);
    assert_eq!(list("patterns-b").1, ids[1..2]);
    assert_eq!(list("patterns").1, [""; 0]);
    assert!(list("").1.len() >= ids.len());
    let invalid = ErrorCode::InvalidRegularExpression.code();
    for wrong in ["(", "[", "patterns-(?=a)a"] {
        assert_eq!(list(wrong).0, invalid, "{wrong}");
    }
}
