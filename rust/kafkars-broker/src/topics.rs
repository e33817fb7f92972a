//! The topics as coordinators of groups see them: names, ids, and how many partitions there are.

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::Uuid;

use crate::topic::Topic;

/// A look at all topics, while the state is locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Topics<'a> {
    topics: &'a BTreeMap<String, Topic>,
    names: &'a HashMap<Uuid, String>,
    created: usize,
}

impl<'a> Topics<'a> {
    pub(crate) fn new(
        topics: &'a BTreeMap<String, Topic>,
        names: &'a HashMap<Uuid, String>,
        created: usize,
    ) -> Self {
        Self {
            topics,
            names,
            created,
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

    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.topics.keys().map(String::as_str)
    }

    /// Different whenever the set of names is.
    pub(crate) fn fingerprint(&self) -> (usize, usize) {
        (self.created, self.topics.len())
    }
}
