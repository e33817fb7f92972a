//! The topics as coordinators of groups see them: names, ids, and how many partitions there are.

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::Uuid;

use crate::security::acl::{AclOperation, Authorized, ResourceType};
use crate::topic::Topic;

/// The number of topics created, the number there are now, and the version of the rules of access control.
pub(crate) type Fingerprint = (usize, usize, u64);

/// A view of all topics, while the state is locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Topics<'a> {
    topics: &'a BTreeMap<String, Topic>,
    names: &'a HashMap<Uuid, String>,
    created: usize,
    /// The client that looks, in a cluster with access control.
    client: Option<&'a Authorized>,
}

impl<'a> Topics<'a> {
    pub(crate) fn new(
        topics: &'a BTreeMap<String, Topic>,
        names: &'a HashMap<Uuid, String>,
        created: usize,
        client: Option<&'a Authorized>,
    ) -> Self {
        Self {
            topics,
            names,
            created,
            client,
        }
    }

    /// The id of a topic and how many partitions it has.
    pub(crate) fn find(&self, name: &str) -> Option<(Uuid, i32)> {
        let topic = self.topics.get(name)?;
        Some((topic.id, topic.partitions.len() as i32))
    }

    pub(crate) fn name(&self, id: Uuid) -> Option<&'a str> {
        self.names.get(&id).map(String::as_str)
    }

    /// Names of the topics that the client may describe.
    pub(crate) fn describable(&self) -> impl Iterator<Item = &'a str> {
        let client = self.client;
        let may = move |name: &str| {
            client
                .is_none_or(|client| client.may(AclOperation::Describe, ResourceType::Topic, name))
        };
        self.topics
            .keys()
            .map(String::as_str)
            .filter(move |name| may(name))
    }

    /// A value that differs whenever the set of names does, or what a client may describe.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let rules = self.client.map_or(0, Authorized::rules_version);
        (self.created, self.topics.len(), rules)
    }
}
