//! Administrators call for elections, reassignments, quorums and the like, beside topics, settings and groups.

use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_protocol::messages::add_raft_voter::AddRaftVoterRequest;
use kafkars_protocol::messages::alter_partition_reassignments::{
    AlterPartitionReassignmentsRequest, ReassignablePartition, ReassignableTopic,
};
use kafkars_protocol::messages::alter_replica_log_dirs::{
    AlterReplicaLogDir, AlterReplicaLogDirTopic, AlterReplicaLogDirsRequest,
};
use kafkars_protocol::messages::alter_user_scram_credentials::{
    AlterUserScramCredentialsRequest, ScramCredentialDeletion, ScramCredentialUpsertion,
};
use kafkars_protocol::messages::create_acls::{AclCreation, CreateAclsRequest};
use kafkars_protocol::messages::create_delegation_token::CreateDelegationTokenRequest;
use kafkars_protocol::messages::delete_acls::{DeleteAclsFilter, DeleteAclsRequest};
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;
use kafkars_protocol::messages::describe_delegation_token::DescribeDelegationTokenRequest;
use kafkars_protocol::messages::describe_log_dirs::{
    DescribableLogDirTopic, DescribeLogDirsRequest,
};
use kafkars_protocol::messages::describe_quorum::{
    DescribeQuorumRequest, PartitionData, TopicData,
};
use kafkars_protocol::messages::describe_topic_partitions::{
    Cursor, DescribeTopicPartitionsRequest, TopicRequest,
};
use kafkars_protocol::messages::describe_user_scram_credentials::{
    DescribeUserScramCredentialsRequest, UserName,
};
use kafkars_protocol::messages::elect_leaders::{ElectLeadersRequest, TopicPartitions};
use kafkars_protocol::messages::expire_delegation_token::ExpireDelegationTokenRequest;
use kafkars_protocol::messages::list_partition_reassignments::ListPartitionReassignmentsRequest;
use kafkars_protocol::messages::remove_raft_voter::RemoveRaftVoterRequest;
use kafkars_protocol::messages::renew_delegation_token::RenewDelegationTokenRequest;
use kafkars_protocol::messages::sasl_authenticate::SaslAuthenticateRequest;
use kafkars_protocol::messages::sasl_handshake::SaslHandshakeRequest;
use kafkars_protocol::messages::unregister_broker::UnregisterBrokerRequest;
use kafkars_protocol::messages::update_features::{FeatureUpdateKey, UpdateFeaturesRequest};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::support::*;
use crate::versions::answers_in_every_version;

const PREFERRED: i8 = 0;
const UNCLEAN: i8 = 1;

/// Three nodes and a topic `t` of two partitions on all of them.
fn cluster() -> EmbeddedBroker {
    start(BrokerConfig {
        nodes: 3,
        topics: vec![NewTopic {
            replication_factor: Some(3),
            ..NewTopic::new("t", 2)
        }],
        ..BrokerConfig::default()
    })
}

/// Names with the indexes of their partitions or the error, and the cursor.
type Page = (Vec<(String, Vec<i32>, i16)>, Option<(String, i32)>);

fn page(broker: &EmbeddedBroker, topics: &[&str], limit: i32, from: Option<(&str, i32)>) -> Page {
    let topic = |name: &&str| TopicRequest {
        name: (*name).to_owned(),
    };
    let request = DescribeTopicPartitionsRequest {
        topics: topics.iter().map(topic).collect(),
        response_partition_limit: limit,
        cursor: from.map(|(name, partition_index)| Cursor {
            topic_name: name.to_owned(),
            partition_index,
        }),
    };
    let answer = Wire::to(broker).call(&request, 0);
    let topics = answer.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter();
        let indexes = partitions.map(|partition| partition.partition_index);
        (topic.name.unwrap(), indexes.collect(), topic.error_code)
    });
    let cursor = answer.next_cursor;
    let cursor = cursor.map(|cursor| (cursor.topic_name, cursor.partition_index));
    (topics.collect(), cursor)
}

#[test]
fn topics_are_described_page_by_page() {
    let broker = broker();
    broker.create_topic(&NewTopic::new("u", 3)).unwrap();
    let topic = |name: &str, partitions: &[i32], code| (name.to_owned(), partitions.to_vec(), code);
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    let all = vec![topic("t", &[0], 0), topic("u", &[0, 1, 2], 0)];
    assert_eq!(page(&broker, &[], 100, None), (all.clone(), None));
    let some = vec![topic("no", &[], unknown), all[1].clone()];
    assert_eq!(page(&broker, &["u", "no", "u"], 100, None), (some, None));
    let first = vec![topic("t", &[0], 0), topic("u", &[0], 0)];
    let after_first = Some(("u".to_owned(), 1));
    assert_eq!(page(&broker, &[], 2, None), (first, after_first));
    let rest = vec![topic("u", &[1, 2], 0)];
    assert_eq!(page(&broker, &[], 2, Some(("u", 1))), (rest, None));
    let full = (vec![topic("t", &[0], 0)], Some(("u".to_owned(), 0)));
    assert_eq!(page(&broker, &[], 0, None), full);
    let invalid = ErrorCode::InvalidRequest.code();
    let refused = (vec![topic("t", &[], invalid)], None);
    assert_eq!(page(&broker, &["t"], 9, Some(("t", -1))), refused);
    assert_eq!(page(&broker, &["t"], 9, Some(("u", 0))), refused);
}

#[test]
fn directories_have_the_sizes_of_logs() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let records = batch(&["1", "2"]);
    let size = records.len() as i64;
    wire.produce("t", 0, records);
    let mut sizes = |topics: Option<Vec<(&str, i32)>>| {
        let topic = |(name, partition): (&str, i32)| DescribableLogDirTopic {
            topic: name.to_owned(),
            partitions: vec![partition],
        };
        let request = DescribeLogDirsRequest {
            topics: topics.map(|topics| topics.into_iter().map(topic).collect()),
        };
        let answer = wire.call(&request, 5).results.remove(0);
        let topics = answer.topics.into_iter();
        let sizes: Vec<_> = topics
            .flat_map(|topic| topic.partitions)
            .map(|partition| partition.partition_size)
            .collect();
        (answer.log_dir, sizes)
    };
    let (directory, found) = sizes(None);
    assert_eq!(found, [size]);
    assert_eq!(sizes(Some(vec![("t", 0)])).1, [size]);
    assert_eq!(sizes(Some(vec![("t", 1), ("no", 0)])).1, Vec::<i64>::new());
    let mut alter = |path: &str, partition| {
        let topic = AlterReplicaLogDirTopic {
            name: "t".to_owned(),
            partitions: vec![partition],
        };
        let request = AlterReplicaLogDirsRequest {
            dirs: vec![AlterReplicaLogDir {
                path: path.to_owned(),
                topics: vec![topic],
            }],
        };
        wire.call(&request, 2).results[0].partitions[0].error_code
    };
    assert_eq!(alter(&directory, 0), 0);
    assert_eq!(
        alter(&directory, 1),
        ErrorCode::UnknownTopicOrPartition.code()
    );
    assert_eq!(alter("/elsewhere", 0), ErrorCode::LogDirNotFound.code());
}

/// The error code that partition 0 of `t` gets.
fn elect(broker: &EmbeddedBroker, election_type: i8) -> i16 {
    let named = TopicPartitions {
        topic: "t".to_owned(),
        partitions: vec![0],
    };
    let request = ElectLeadersRequest {
        election_type,
        topic_partitions: Some(vec![named]),
        timeout_ms: 1000,
    };
    let answer = Wire::to(broker).call(&request, 2);
    answer.replica_election_results[0].partition_result[0].error_code
}

#[test]
fn leaders_go_back_to_the_first_replica_when_they_are_told() {
    let broker = cluster();
    let first = broker.leader("t", 0).unwrap();
    let other = first % 3 + 1;
    let needless = ErrorCode::ElectionNotNeeded.code();
    assert_eq!(elect(&broker, PREFERRED), needless);
    broker.move_leader("t", 0, other).unwrap();
    assert_eq!(elect(&broker, PREFERRED), 0);
    assert_eq!(broker.leader("t", 0).unwrap(), first);
    broker.fence_node(first).unwrap();
    let missing = ErrorCode::PreferredLeaderNotAvailable.code();
    assert_eq!(elect(&broker, PREFERRED), missing);
    assert_eq!(elect(&broker, UNCLEAN), needless);
    assert_eq!(elect(&broker, 7), ErrorCode::InvalidRequest.code());
}

#[test]
fn elections_everywhere_tell_of_what_was_done() {
    let broker = cluster();
    let first = broker.leader("t", 1).unwrap();
    broker.move_leader("t", 1, first % 3 + 1).unwrap();
    let request = ElectLeadersRequest {
        election_type: PREFERRED,
        topic_partitions: None,
        timeout_ms: 1000,
    };
    let answer = Wire::to(&broker).call(&request, 2);
    let done = &answer.replica_election_results[0].partition_result;
    let done: Vec<_> = done
        .iter()
        .map(|result| (result.partition_id, result.error_code))
        .collect();
    assert_eq!(done, [(1, 0)]);
    assert_eq!(broker.leader("t", 1).unwrap(), first);
}

#[test]
fn an_unclean_election_finds_a_leader_that_is_not_in_sync() {
    let broker = cluster();
    let first = broker.leader("t", 0).unwrap();
    let others: Vec<_> = (1..=3).filter(|node| *node != first).collect();
    for node in others.iter().chain([&first]) {
        broker.stop_node(*node).unwrap();
    }
    broker.start_node(others[0]).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), -1);
    let named = TopicPartitions {
        topic: "t".to_owned(),
        partitions: vec![0],
    };
    let request = ElectLeadersRequest {
        election_type: UNCLEAN,
        topic_partitions: Some(vec![named]),
        timeout_ms: 1000,
    };
    let answer = Wire::to_node(&broker, others[0]).call(&request, 2);
    let result = &answer.replica_election_results[0].partition_result[0];
    assert_eq!(result.error_code, 0);
    assert_eq!(broker.leader("t", 0).unwrap(), others[0]);
}

#[test]
fn partitions_get_other_replicas() {
    let broker = cluster();
    let reassign = |partition_index, replicas: Option<Vec<i32>>, may_resize| {
        let partition = ReassignablePartition {
            partition_index,
            replicas,
        };
        let topic = ReassignableTopic {
            name: "t".to_owned(),
            partitions: vec![partition],
        };
        let request = AlterPartitionReassignmentsRequest {
            timeout_ms: 1000,
            allow_replication_factor_change: may_resize,
            topics: vec![topic],
        };
        let answer = Wire::to(&broker).call(&request, 1);
        answer.responses[0].partitions[0].error_code
    };
    let leader = broker.leader("t", 0).unwrap();
    let other = leader % 3 + 1;
    assert_eq!(reassign(0, Some(vec![other]), true), 0);
    assert_eq!(broker.leader("t", 0).unwrap(), other);
    let mut wire = Wire::to(&broker);
    let found = &wire.metadata(&["t"]).topics[0].partitions[0];
    assert_eq!(
        (&*found.replica_nodes, &*found.isr_nodes),
        (&[other][..], &[other][..])
    );
    assert_eq!(found.leader_epoch, 1);
    assert_eq!(reassign(0, Some(vec![leader, other]), true), 0);
    assert_eq!(broker.leader("t", 0).unwrap(), other);
    let bad = ErrorCode::InvalidReplicaAssignment.code();
    for replicas in [vec![], vec![1, 1], vec![9]] {
        assert_eq!(reassign(0, Some(replicas), true), bad);
    }
    let resized = ErrorCode::InvalidReplicationFactor.code();
    assert_eq!(reassign(0, Some(vec![1]), false), resized);
    assert_eq!(
        reassign(0, None, true),
        ErrorCode::NoReassignmentInProgress.code()
    );
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    assert_eq!(reassign(9, Some(vec![1]), true), unknown);
    let none = wire.call(&ListPartitionReassignmentsRequest::default(), 0);
    assert_eq!((none.error_code, none.topics.len()), (0, 0));
}

#[test]
fn credentials_are_kept_and_described() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut set = |user: &str, mechanism, iterations| {
        let upsertion = ScramCredentialUpsertion {
            name: user.to_owned(),
            mechanism,
            iterations,
            ..ScramCredentialUpsertion::default()
        };
        let request = AlterUserScramCredentialsRequest {
            deletions: Vec::new(),
            upsertions: vec![upsertion],
        };
        wire.call(&request, 0).results[0].error_code
    };
    assert_eq!(set("u", 1, 4096), 0);
    assert_eq!(set("u", 2, 8192), 0);
    let unacceptable = ErrorCode::UnacceptableCredential.code();
    for (user, iterations) in [("", 4096), ("u", 4095), ("u", 16_385)] {
        assert_eq!(set(user, 1, iterations), unacceptable);
    }
    assert_eq!(
        set("u", 7, 4096),
        ErrorCode::UnsupportedSaslMechanism.code()
    );
    let mut describe = |users: &[&str]| {
        let user = |name: &&str| UserName {
            name: (*name).to_owned(),
        };
        let request = DescribeUserScramCredentialsRequest {
            users: Some(users.iter().map(user).collect()),
        };
        let found = wire.call(&request, 0).results.into_iter();
        let found = found.map(|user| {
            let infos = user.credential_infos.iter();
            let infos: Vec<_> = infos
                .map(|info| (info.mechanism, info.iterations))
                .collect();
            (user.user, user.error_code, infos)
        });
        found.collect::<Vec<_>>()
    };
    let known = ("u".to_owned(), 0, vec![(1, 4096), (2, 8192)]);
    assert_eq!(describe(&[]), std::slice::from_ref(&known));
    assert_eq!(describe(&["u"]), [known]);
    let nobody = ErrorCode::ResourceNotFound.code();
    assert_eq!(describe(&["x"]), [("x".to_owned(), nobody, vec![])]);
    let twice = ErrorCode::DuplicateResource.code();
    assert_eq!(describe(&["u", "u"]), [("u".to_owned(), twice, vec![])]);
    let deletion = ScramCredentialDeletion {
        name: "u".to_owned(),
        mechanism: 1,
    };
    let mut request = AlterUserScramCredentialsRequest {
        deletions: vec![deletion],
        upsertions: Vec::new(),
    };
    assert_eq!(wire.call(&request, 0).results[0].error_code, 0);
    assert_eq!(wire.call(&request, 0).results[0].error_code, nobody);
    request.deletions.push(request.deletions[0].clone());
    assert_eq!(wire.call(&request, 0).results[0].error_code, twice);
}

#[test]
fn the_quorum_is_made_of_all_nodes() {
    let broker = cluster();
    let describe = |topic: &str| {
        let request = DescribeQuorumRequest {
            topics: vec![TopicData {
                topic_name: topic.to_owned(),
                partitions: vec![PartitionData::default()],
            }],
        };
        let mut answer = Wire::to(&broker).call(&request, 2);
        let partition = answer.topics.remove(0).partitions.remove(0);
        (partition, answer.nodes.len())
    };
    let (quorum, nodes) = describe("__cluster_metadata");
    assert_eq!((quorum.error_code, quorum.leader_id, nodes), (0, 1, 3));
    assert_eq!(quorum.current_voters.len(), 3);
    let (other, nodes) = describe("t");
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    assert_eq!((other.error_code, nodes), (unknown, 0));
}

#[test]
fn a_node_that_is_unregistered_leads_nothing() {
    let broker = cluster();
    let unregister = |broker_id| {
        let request = UnregisterBrokerRequest { broker_id };
        Wire::to(&broker).call(&request, 0).error_code
    };
    assert_eq!(unregister(9), ErrorCode::BrokerIdNotRegistered.code());
    assert_eq!(unregister(3), 0);
    for partition in [0, 1] {
        assert_ne!(broker.leader("t", partition).unwrap(), 3);
    }
    assert_eq!(Wire::to(&broker).metadata(&[]).brokers.len(), 2);
}

#[test]
fn what_needs_security_is_refused_as_without_any() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let disabled = ErrorCode::SecurityDisabled.code();
    let acls = wire.call(&DescribeAclsRequest::default(), 3);
    assert_eq!(acls.error_code, disabled);
    let created = wire.call(
        &CreateAclsRequest {
            creations: vec![AclCreation::default(); 2],
        },
        3,
    );
    let codes: Vec<_> = created
        .results
        .iter()
        .map(|result| result.error_code)
        .collect();
    assert_eq!(codes, [disabled; 2]);
    let deleted = wire.call(
        &DeleteAclsRequest {
            filters: vec![DeleteAclsFilter::default()],
        },
        3,
    );
    assert_eq!(deleted.filter_results[0].error_code, disabled);
    let refused = ErrorCode::DelegationTokenRequestNotAllowed.code();
    let tokens = [
        wire.call(&CreateDelegationTokenRequest::default(), 3)
            .error_code,
        wire.call(&RenewDelegationTokenRequest::default(), 2)
            .error_code,
        wire.call(&ExpireDelegationTokenRequest::default(), 2)
            .error_code,
        wire.call(&DescribeDelegationTokenRequest::default(), 3)
            .error_code,
    ];
    assert_eq!(tokens, [refused; 4]);
    let illegal = ErrorCode::IllegalSaslState.code();
    let handshake = wire.call(&SaslHandshakeRequest::default(), 1);
    assert_eq!(handshake.error_code, illegal);
    let authenticate = wire.call(&SaslAuthenticateRequest::default(), 2);
    assert_eq!(authenticate.error_code, illegal);
}

#[test]
fn voters_are_fixed() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut remove = |cluster_id: Option<&str>, voter_directory_id| {
        let request = RemoveRaftVoterRequest {
            cluster_id: cluster_id.map(str::to_owned),
            voter_id: 1,
            voter_directory_id,
        };
        wire.call(&request, 0).error_code
    };
    let directory = Uuid([1; 16]);
    assert_eq!(
        remove(None, directory),
        ErrorCode::UnsupportedVersion.code()
    );
    assert_eq!(remove(None, Uuid::ZERO), ErrorCode::InvalidRequest.code());
    let elsewhere = ErrorCode::InconsistentClusterId.code();
    assert_eq!(remove(Some("other"), directory), elsewhere);
}

#[test]
fn every_version_has_an_answer() {
    answers_in_every_version(DescribeQuorumRequest {
        topics: vec![TopicData {
            topic_name: "__cluster_metadata".to_owned(),
            partitions: vec![PartitionData::default()],
        }],
    });
    let group = FeatureUpdateKey {
        feature: "group.version".to_owned(),
        ..FeatureUpdateKey::default()
    };
    answers_in_every_version(UpdateFeaturesRequest {
        timeout_ms: 0,
        feature_updates: vec![group],
        validate_only: false,
    });
    answers_in_every_version(SaslHandshakeRequest::default());
    answers_in_every_version(SaslAuthenticateRequest::default());
    answers_in_every_version(DescribeAclsRequest::default());
    answers_in_every_version(CreateAclsRequest {
        creations: vec![AclCreation::default()],
    });
    answers_in_every_version(DeleteAclsRequest {
        filters: vec![DeleteAclsFilter::default()],
    });
    answers_in_every_version(CreateDelegationTokenRequest::default());
    answers_in_every_version(RenewDelegationTokenRequest::default());
    answers_in_every_version(ExpireDelegationTokenRequest::default());
    answers_in_every_version(DescribeDelegationTokenRequest::default());
    answers_in_every_version(DescribeLogDirsRequest::default());
    answers_in_every_version(AlterReplicaLogDirsRequest::default());
    answers_in_every_version(ElectLeadersRequest::default());
    answers_in_every_version(AlterPartitionReassignmentsRequest::default());
    answers_in_every_version(ListPartitionReassignmentsRequest::default());
    answers_in_every_version(DescribeUserScramCredentialsRequest::default());
    answers_in_every_version(DescribeTopicPartitionsRequest::default());
    answers_in_every_version(UnregisterBrokerRequest { broker_id: 9 });
    answers_in_every_version(RemoveRaftVoterRequest::default());
    answers_in_every_version(AddRaftVoterRequest::default());
}
