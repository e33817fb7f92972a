//! Access control lists: the rules, and who may do what by them, decided as Kafka's `StandardAuthorizer` does.

mod rule;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

pub use rule::{Acl, AclOperation, PatternType, Permission, ResourceType};
pub(crate) use rule::{AclFilter, CLUSTER, RawFilter};

/// The most rules there may be, so that adding them does not fill the memory.
const MAX_RULES: usize = 100_000;

/// The settings of access control: on or off, and what holds before the first rule.
#[derive(Debug, Clone, Default)]
pub struct AclSettings {
    /// The principals who may do everything, such as `User:admin` (`super.users`).
    pub super_users: Vec<String>,
    /// True if what no rule speaks of is open to everybody (`allow.everyone.if.no.acl.found`). Default false.
    pub allow_everyone_if_no_acl_found: bool,
    /// The rules that there are from the start.
    pub rules: Vec<Acl>,
}

/// Decides who may do what. Locks for itself, for one look-up; may be asked while the cluster's state is locked.
#[derive(Debug)]
pub(crate) struct Authorizer {
    super_users: HashSet<String>,
    open_by_default: bool,
    rules: RwLock<BTreeSet<Acl>>,
    /// The number of changes of the rules.
    version: AtomicU64,
}

/// A client as the rules name it, with the rules.
#[derive(Debug, Clone)]
pub(crate) struct Authorized {
    authorizer: Arc<Authorizer>,
    principal: String,
    host: String,
}

impl Authorized {
    pub(crate) fn new(authorizer: &Arc<Authorizer>, principal: String, host: String) -> Self {
        Self {
            authorizer: Arc::clone(authorizer),
            principal,
            host,
        }
    }

    /// True if the client may do something with one resource.
    pub(crate) fn may(&self, operation: AclOperation, kind: ResourceType, name: &str) -> bool {
        let client = (self.principal.as_str(), self.host.as_str());
        self.authorizer.allows(client, operation, (kind, name))
    }

    /// True if the client may do something with any resource of a kind at all.
    pub(crate) fn may_some(&self, operation: AclOperation, kind: ResourceType) -> bool {
        let client = (self.principal.as_str(), self.host.as_str());
        self.authorizer.allows_some(client, operation, kind)
    }

    /// A number that is another one after every change of the rules.
    pub(crate) fn rules_version(&self) -> u64 {
        self.authorizer.version.load(Ordering::Acquire)
    }
}

impl Authorizer {
    pub(crate) fn new(settings: &AclSettings) -> Self {
        Self {
            super_users: settings.super_users.iter().cloned().collect(),
            open_by_default: settings.allow_everyone_if_no_acl_found,
            rules: RwLock::new(settings.rules.iter().cloned().collect()),
            version: AtomicU64::new(0),
        }
    }

    /// True if a client may do something with one resource.
    pub(crate) fn allows(
        &self,
        (principal, host): (&str, &str),
        operation: AclOperation,
        (kind, name): (ResourceType, &str),
    ) -> bool {
        if self.super_users.contains(principal) {
            return true;
        }
        let rules = self.rules.read();
        let (mut spoken_of, mut allowed) = (false, false);
        for rule in rules.iter().filter(|rule| rule.is_about(kind, name)) {
            spoken_of = true;
            if !rule.is_for(principal, host) {
                continue;
            }
            match rule.permission {
                Permission::Deny if denies(rule.operation, operation) => return false,
                Permission::Allow => allowed |= gives(rule.operation, operation),
                Permission::Deny => {}
            }
        }
        allowed || (!spoken_of && self.open_by_default)
    }

    /// True if a client may do something with any resource of a kind at all.
    pub(crate) fn allows_some(
        &self,
        (principal, host): (&str, &str),
        operation: AclOperation,
        kind: ResourceType,
    ) -> bool {
        if self.super_users.contains(principal) {
            return true;
        }
        let rules = self.rules.read();
        let about = rules
            .iter()
            .filter(|rule| rule.resource_type == kind && rule.is_for(principal, host));
        let (mut given, mut denied) = (Vec::new(), Vec::new());
        for rule in about {
            match rule.permission {
                Permission::Allow if gives(rule.operation, operation) => given.push(rule),
                Permission::Deny if denies(rule.operation, operation) => denied.push(rule),
                _ => {}
            }
        }
        if given.is_empty() && self.open_by_default {
            return !denied
                .iter()
                .any(|rule| rule.is_about(kind, "*") && rule.resource_name == "*");
        }
        let is_left = |rule: &&Acl| !denied.iter().any(|denial| denial.covers(rule));
        given.iter().any(is_left)
    }

    /// Adds a rule; the error says that there are too many.
    pub(crate) fn add(&self, rule: Acl) -> Result<(), String> {
        let mut rules = self.rules.write();
        if rules.len() >= MAX_RULES && !rules.contains(&rule) {
            return Err(format!("There are {MAX_RULES} ACLs, which is the limit"));
        }
        rules.insert(rule);
        self.version.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// The rules that a filter takes.
    pub(crate) fn find(&self, filter: &AclFilter) -> Vec<Acl> {
        let rules = self.rules.read();
        rules
            .iter()
            .filter(|rule| filter.takes(rule))
            .cloned()
            .collect()
    }

    /// Removes the rules that a filter takes, and gives them.
    pub(crate) fn remove(&self, filter: &AclFilter) -> Vec<Acl> {
        let found = self.find(filter);
        let mut rules = self.rules.write();
        rules.retain(|rule| !filter.takes(rule));
        self.version.fetch_add(1, Ordering::Release);
        found
    }

    /// True if the rule was there.
    pub(crate) fn remove_one(&self, rule: &Acl) -> bool {
        let mut rules = self.rules.write();
        self.version.fetch_add(1, Ordering::Release);
        rules.remove(rule)
    }

    /// All rules.
    pub(crate) fn all(&self) -> Vec<Acl> {
        self.rules.read().iter().cloned().collect()
    }
}

/// True if a rule that takes one operation takes another.
fn denies(rule: AclOperation, operation: AclOperation) -> bool {
    rule == AclOperation::All || rule == operation
}

/// True if a rule that gives one operation gives another: who may change may also look.
fn gives(rule: AclOperation, operation: AclOperation) -> bool {
    use AclOperation::{All, Alter, AlterConfigs, Delete, Describe, DescribeConfigs, Read, Write};
    rule == All
        || rule == operation
        || match operation {
            Describe => matches!(rule, Read | Write | Delete | Alter),
            DescribeConfigs => rule == AlterConfigs,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(name: &str, pattern: PatternType, who: &str, operation: AclOperation) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.to_owned(),
            pattern_type: pattern,
            principal: who.to_owned(),
            host: "*".to_owned(),
            operation,
            permission: Permission::Allow,
        }
    }

    fn denied(rule: Acl) -> Acl {
        Acl {
            permission: Permission::Deny,
            ..rule
        }
    }

    fn authorizer(rules: Vec<Acl>) -> Authorizer {
        Authorizer::new(&AclSettings {
            super_users: vec!["User:admin".to_owned()],
            rules,
            ..AclSettings::default()
        })
    }

    fn may(authorizer: &Authorizer, who: &str, operation: AclOperation, topic: &str) -> bool {
        let resource = (ResourceType::Topic, topic);
        authorizer.allows((who, "10.0.0.1"), operation, resource)
    }

    #[test]
    fn rules_give_what_they_name_and_what_goes_with_it() {
        let rules = vec![
            rule(
                "orders",
                PatternType::Literal,
                "User:alice",
                AclOperation::Read,
            ),
            rule(
                "shop-",
                PatternType::Prefixed,
                "User:*",
                AclOperation::Write,
            ),
        ];
        let authorizer = authorizer(rules);
        for (who, operation, topic, expected) in [
            ("User:alice", AclOperation::Read, "orders", true),
            ("User:alice", AclOperation::Describe, "orders", true),
            ("User:alice", AclOperation::Write, "orders", false),
            ("User:alice", AclOperation::Read, "orders-2", false),
            ("User:bob", AclOperation::Describe, "orders", false),
            ("User:bob", AclOperation::Write, "shop-1", true),
            ("User:bob", AclOperation::Write, "shop", false),
            ("User:admin", AclOperation::Delete, "anything", true),
        ] {
            assert_eq!(
                may(&authorizer, who, operation, topic),
                expected,
                "{who} {topic}"
            );
        }
    }

    #[test]
    fn a_denial_wins_and_takes_only_what_it_names() {
        let everything = rule("*", PatternType::Literal, "User:*", AclOperation::All);
        let read = rule(
            "secret",
            PatternType::Literal,
            "User:bob",
            AclOperation::Read,
        );
        let authorizer = authorizer(vec![everything, denied(read)]);
        assert!(may(&authorizer, "User:alice", AclOperation::Read, "secret"));
        assert!(!may(&authorizer, "User:bob", AclOperation::Read, "secret"));
        // Describing goes with reading only where it is given.
        assert!(may(
            &authorizer,
            "User:bob",
            AclOperation::Describe,
            "secret"
        ));
    }

    #[test]
    fn hosts_are_compared() {
        let here = Acl {
            host: "10.0.0.1".to_owned(),
            ..rule("t", PatternType::Literal, "User:alice", AclOperation::Read)
        };
        let elsewhere = Acl {
            host: "10.0.0.2".to_owned(),
            ..here.clone()
        };
        assert!(may(
            &authorizer(vec![here]),
            "User:alice",
            AclOperation::Read,
            "t"
        ));
        assert!(!may(
            &authorizer(vec![elsewhere]),
            "User:alice",
            AclOperation::Read,
            "t"
        ));
    }

    #[test]
    fn what_no_rule_speaks_of_is_open_only_where_that_is_set() {
        let read = rule(
            "orders",
            PatternType::Literal,
            "User:alice",
            AclOperation::Read,
        );
        let open = Authorizer::new(&AclSettings {
            rules: vec![read],
            allow_everyone_if_no_acl_found: true,
            ..AclSettings::default()
        });
        assert!(may(&open, "User:bob", AclOperation::Write, "other"));
        assert!(!may(&open, "User:bob", AclOperation::Read, "orders"));
        assert!(!may(
            &authorizer(Vec::new()),
            "User:bob",
            AclOperation::Read,
            "other"
        ));
    }

    #[test]
    fn some_resource_is_one_that_no_denial_covers() {
        let write = |name, pattern| rule(name, pattern, "User:alice", AclOperation::Write);
        let some = |rules| {
            let client = ("User:alice", "10.0.0.1");
            authorizer(rules).allows_some(client, AclOperation::Write, ResourceType::Topic)
        };
        let literal = write("orders", PatternType::Literal);
        assert!(some(vec![literal.clone()]));
        assert!(!some(vec![]));
        assert!(!some(vec![
            literal.clone(),
            denied(write("*", PatternType::Literal))
        ]));
        assert!(!some(vec![
            literal.clone(),
            denied(write("ord", PatternType::Prefixed))
        ]));
        assert!(some(vec![
            literal,
            denied(write("other", PatternType::Literal))
        ]));
    }

    #[test]
    fn filters_choose_by_name_the_way_that_they_say() {
        let literal = rule("orders", PatternType::Literal, "User:a", AclOperation::Read);
        let prefixed = rule("ord", PatternType::Prefixed, "User:a", AclOperation::Read);
        let every = rule("*", PatternType::Literal, "User:a", AclOperation::Read);
        let authorizer = authorizer(vec![literal, prefixed, every]);
        let count = |pattern_type, name: Option<&str>| {
            let filter = AclFilter::read(RawFilter {
                resource_type: 1,
                resource_name: name.map(str::to_owned),
                pattern_type,
                principal: None,
                host: None,
                operation: 1,
                permission: 1,
            });
            authorizer.find(&filter.unwrap()).len()
        };
        assert_eq!(count(1, None), 3);
        assert_eq!(count(1, Some("orders")), 1);
        assert_eq!(count(2, Some("orders")), 3);
        assert_eq!(count(2, Some("other")), 1);
        assert_eq!(count(3, None), 2);
        assert_eq!(count(4, Some("ord")), 1);
    }
}
