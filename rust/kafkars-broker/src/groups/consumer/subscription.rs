//! A consumer group subscribes to topics by name and by regular expression.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kafkars_protocol::{ErrorCode, Uuid};
use regex::Regex;

use super::member::ConsumerMember;
use crate::pattern;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::topics::{Fingerprint, Topics};

/// Different expressions that one group may have, which Kafka does not limit.
const MAX_EXPRESSIONS: usize = 100;

/// The subscriptions of a group's members, resolved against the topics there were at the last look.
#[derive(Debug, Default)]
pub(super) struct Subscribed {
    expressions: BTreeMap<String, Expression>,
    /// Every topic that somebody reads and that exists, with its id and partitions.
    topics: BTreeMap<String, (Uuid, i32)>,
    names: BTreeSet<String>,
    fingerprint: Option<Fingerprint>,
}

#[derive(Debug)]
struct Expression {
    regex: Regex,
    matches: BTreeSet<String>,
}

impl Subscribed {
    pub(super) fn contains(&self, topic: &str) -> bool {
        let mut expressions = self.expressions.values();
        self.names.contains(topic)
            || expressions.any(|expression| expression.matches.contains(topic))
    }

    pub(super) fn size(&self) -> usize {
        let matches = self.expressions.values().flat_map(|it| &it.matches);
        matches
            .chain(&self.names)
            .chain(self.topics.keys())
            .map(|name| name.len() + 96)
            .sum::<usize>()
            + 2 * pattern::MAX_BYTES * self.expressions.len()
    }

    /// Takes a member's expression, unless the broker does not understand it.
    pub(super) fn add_expression(&mut self, text: &str) -> Result<(), RefusedRequest> {
        if text.is_empty() || self.expressions.contains_key(text) {
            return Ok(());
        }
        if self.expressions.len() >= MAX_EXPRESSIONS {
            let message =
                format!("The group has {MAX_EXPRESSIONS} expressions, which is the limit.");
            return refuse_with(ErrorCode::InvalidRegularExpression, message);
        }
        let compiled = pattern::whole(text);
        let regex = compiled.map_err(|problem| {
            let message = format!(
                "SubscribedTopicRegex `{text}` is not a valid regular expression: {problem}."
            );
            RefusedRequest::new(ErrorCode::InvalidRegularExpression, message)
        })?;
        let matches = BTreeSet::new();
        self.expressions
            .insert(text.to_owned(), Expression { regex, matches });
        self.fingerprint = None;
        Ok(())
    }

    /// Looks at the topics again; returns true if anything that the members read is different.
    ///
    /// Expressions are resolved to what the member may describe whose request leads to it, also those of others, as in
    /// Kafka.
    pub(super) fn refresh<'a>(
        &mut self,
        members: impl Iterator<Item = &'a ConsumerMember> + Clone,
        topics: &Topics<'_>,
    ) -> bool {
        let used: BTreeSet<&str> = members
            .clone()
            .filter_map(|member| member.regex.as_deref())
            .collect();
        self.expressions
            .retain(|text, _| used.contains(text.as_str()));
        if self.fingerprint != Some(topics.fingerprint()) {
            self.fingerprint = Some(topics.fingerprint());
            for expression in self.expressions.values_mut() {
                let matching = topics
                    .describable()
                    .filter(|name| !is_internal(name) && expression.regex.is_match(name));
                expression.matches = matching.map(str::to_owned).collect();
            }
        }
        self.names = members.flat_map(|member| &member.names).cloned().collect();
        let expressions = self.expressions.values();
        let read: BTreeSet<&String> = expressions
            .flat_map(|expression| &expression.matches)
            .chain(&self.names)
            .collect();
        let found: BTreeMap<String, (Uuid, i32)> = read
            .into_iter()
            .filter_map(|name| Some((name.clone(), topics.find(name)?)))
            .collect();
        let changed = found != self.topics;
        self.topics = found;
        changed
    }

    /// The topics that one member reads, of those that exist.
    pub(super) fn topics_of(&self, member: &ConsumerMember) -> BTreeSet<Uuid> {
        let expression = member.regex.as_ref();
        let expression = expression.and_then(|text| self.expressions.get(text));
        let matches = expression.into_iter().flat_map(|it| &it.matches);
        let ids = member.names.iter().chain(matches);
        ids.filter_map(|name| Some(self.topics.get(name)?.0))
            .collect()
    }

    /// Names of the topics that somebody reads and that exist.
    pub(super) fn names(&self) -> HashMap<Uuid, &str> {
        let topics = self.topics.iter();
        topics.map(|(name, (id, _))| (*id, name.as_str())).collect()
    }

    pub(super) fn topics(&self) -> BTreeMap<Uuid, i32> {
        self.topics.values().copied().collect()
    }
}

/// True for Kafka's own topics, which are read by name only.
fn is_internal(topic: &str) -> bool {
    matches!(
        topic,
        "__consumer_offsets" | "__transaction_state" | "__share_group_state"
    )
}
