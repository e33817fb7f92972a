//! One access control rule, and filters over rules; the numbers are those of Kafka's protocol.

use serde::{Deserialize, Serialize};

/// The name of the one resource of kind [`ResourceType::Cluster`].
pub(crate) const CLUSTER: &str = "kafka-cluster";
/// Any resource, any user, any host.
const ANYTHING: &str = "*";

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $code:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$value_doc])* $value = $code,)* }

        impl $name {
            /// Kafka's number.
            pub fn code(self) -> i8 {
                self as i8
            }

            /// The meaning of a number of Kafka's; none for those of filters and for unknown ones.
            pub fn from_code(code: i8) -> Option<Self> {
                match code { $($code => Some(Self::$value),)* _ => None }
            }

            /// Kafka's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $text,)* }
            }

            /// The meaning of a name of Kafka's, in any case of letters.
            pub fn named(name: &str) -> Option<Self> {
                let all = [$(Self::$value),*];
                all.into_iter().find(|value| value.name().eq_ignore_ascii_case(name))
            }
        }
    };
}

codes! {
    /// The kind of resource that a rule is about.
    ResourceType {
        /// A topic, by its name.
        Topic = 2 "TOPIC",
        /// A group, by its id.
        Group = 3 "GROUP",
        /// The cluster, which is called `kafka-cluster`.
        Cluster = 4 "CLUSTER",
        /// A transactional id.
        TransactionalId = 5 "TRANSACTIONAL_ID",
        /// A delegation token.
        DelegationToken = 6 "DELEGATION_TOKEN",
        /// A user, by the principal.
        User = 7 "USER",
    }
}

codes! {
    /// The pattern that the name of a rule stands for.
    PatternType {
        /// The resource of exactly that name; `*` is every one.
        Literal = 3 "LITERAL",
        /// Every resource whose name begins so.
        Prefixed = 4 "PREFIXED",
    }
}

codes! {
    /// An operation on a resource.
    AclOperation {
        /// Everything.
        All = 2 "ALL",
        /// Reading.
        Read = 3 "READ",
        /// Writing.
        Write = 4 "WRITE",
        /// Creating.
        Create = 5 "CREATE",
        /// Deleting.
        Delete = 6 "DELETE",
        /// Changing.
        Alter = 7 "ALTER",
        /// Describing.
        Describe = 8 "DESCRIBE",
        /// Requests of brokers to each other.
        ClusterAction = 9 "CLUSTER_ACTION",
        /// Describing settings.
        DescribeConfigs = 10 "DESCRIBE_CONFIGS",
        /// Changing settings.
        AlterConfigs = 11 "ALTER_CONFIGS",
        /// Writing with a producer id.
        IdempotentWrite = 12 "IDEMPOTENT_WRITE",
        /// Making tokens for others.
        CreateTokens = 13 "CREATE_TOKENS",
        /// Describing tokens of others.
        DescribeTokens = 14 "DESCRIBE_TOKENS",
        /// Two-phase commit.
        TwoPhaseCommit = 15 "TWO_PHASE_COMMIT",
    }
}

codes! {
    /// The effect of a rule: it gives or takes.
    Permission {
        /// The rule takes, whatever other rules give.
        Deny = 2 "DENY",
        /// The rule gives.
        Allow = 3 "ALLOW",
    }
}

/// An access control rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Acl {
    /// The kind of the resource.
    pub resource_type: ResourceType,
    /// The resource's name, or how names begin, or `*`.
    pub resource_name: String,
    /// The pattern that the name stands for.
    pub pattern_type: PatternType,
    /// The principal, such as `User:alice`; `User:*` is everybody.
    pub principal: String,
    /// The client's address; `*` is any.
    pub host: String,
    /// The operation.
    pub operation: AclOperation,
    /// The effect of the rule: allow or deny.
    pub permission: Permission,
}

impl Acl {
    /// Checks that the rule makes sense; the error is in Kafka's words.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.resource_name.is_empty() {
            return Err("Resource name should not be empty".to_owned());
        }
        if self.resource_type == ResourceType::Cluster && self.resource_name != CLUSTER {
            return Err(format!(
                "The only valid name for the CLUSTER resource is {CLUSTER}"
            ));
        }
        if !self.principal.contains(':') {
            return Err(format!(
                "Could not parse principal from `{}` (no colon is present separating the principal type from the principal name)",
                self.principal
            ));
        }
        Ok(())
    }

    /// True if it speaks of a resource.
    pub(super) fn is_about(&self, kind: ResourceType, name: &str) -> bool {
        self.resource_type == kind && self.pattern_fits(name)
    }

    fn pattern_fits(&self, name: &str) -> bool {
        match self.pattern_type {
            PatternType::Literal => self.resource_name == name || self.resource_name == ANYTHING,
            PatternType::Prefixed => name.starts_with(&self.resource_name),
        }
    }

    /// True if it speaks of a client.
    pub(super) fn is_for(&self, principal: &str, host: &str) -> bool {
        let everybody = "User:*";
        (self.principal == principal || self.principal == everybody)
            && (self.host == ANYTHING || self.host == host)
    }

    /// True if it covers every resource that another rule speaks of.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self.pattern_type, other.pattern_type) {
            (PatternType::Literal, _) if self.resource_name == ANYTHING => true,
            (PatternType::Literal, PatternType::Literal) => {
                self.resource_name == other.resource_name
            }
            (PatternType::Literal, PatternType::Prefixed) => false,
            (PatternType::Prefixed, _) => other.resource_name.starts_with(&self.resource_name),
        }
    }
}

/// The way in which a filter takes the names of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternFilter {
    /// Rules with that name, however it is meant.
    Any,
    /// Rules that speak of the resource of that name.
    Match,
    Exactly(PatternType),
}

/// A filter of rules; a field that is none lets everything pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AclFilter {
    resource_type: Option<ResourceType>,
    resource_name: Option<String>,
    pattern: PatternFilter,
    principal: Option<String>,
    host: Option<String>,
    operation: Option<AclOperation>,
    permission: Option<Permission>,
}

/// A filter as requests carry it.
#[derive(Debug, Clone)]
pub(crate) struct RawFilter {
    pub(crate) resource_type: i8,
    pub(crate) resource_name: Option<String>,
    pub(crate) pattern_type: i8,
    pub(crate) principal: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) operation: i8,
    pub(crate) permission: i8,
}

/// The number that lets everything pass.
const ANY: i8 = 1;
/// The number of patterns that match a name.
const MATCH: i8 = 2;

impl AclFilter {
    /// Reads a filter; the error names the field that has an unknown number.
    pub(crate) fn read(raw: RawFilter) -> Result<Self, String> {
        fn read<T>(what: &str, code: i8, known: fn(i8) -> Option<T>) -> Result<Option<T>, String> {
            match (code, known(code)) {
                (ANY, _) => Ok(None),
                (_, Some(value)) => Ok(Some(value)),
                _ => Err(format!("Unknown {what} {code}")),
            }
        }
        let pattern = match raw.pattern_type {
            ANY => PatternFilter::Any,
            MATCH => PatternFilter::Match,
            code => match PatternType::from_code(code) {
                Some(pattern) => PatternFilter::Exactly(pattern),
                None => return Err(format!("Unknown patternType {code}")),
            },
        };
        Ok(Self {
            resource_type: read("resourceType", raw.resource_type, ResourceType::from_code)?,
            resource_name: raw.resource_name,
            pattern,
            principal: raw.principal,
            host: raw.host,
            operation: read("operation", raw.operation, AclOperation::from_code)?,
            permission: read("permissionType", raw.permission, Permission::from_code)?,
        })
    }

    pub(super) fn takes(&self, acl: &Acl) -> bool {
        fn fits<T: PartialEq>(wanted: &Option<T>, value: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        }
        let name = match (&self.resource_name, self.pattern) {
            (name, PatternFilter::Exactly(pattern)) => {
                pattern == acl.pattern_type && fits(name, &acl.resource_name)
            }
            (Some(name), PatternFilter::Match) => acl.pattern_fits(name),
            (name, _) => fits(name, &acl.resource_name),
        };
        name && fits(&self.resource_type, &acl.resource_type)
            && fits(&self.principal, &acl.principal)
            && fits(&self.host, &acl.host)
            && fits(&self.operation, &acl.operation)
            && fits(&self.permission, &acl.permission)
    }
}
