//! Access control lists: which principals may do what (KIP-11, KIP-140, KIP-290).

use std::time::Instant;

use kafkars_protocol::messages::create_acls::{AclCreation, CreateAclsRequest};
use kafkars_protocol::messages::delete_acls::{DeleteAclsFilter, DeleteAclsRequest};
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;

use super::handle::Admin;
use super::outcome::{Outcomes, outcome};
use super::routing::{Target, not_controller};
use crate::error::{AttemptError, ClientError};

/// An ACL: a principal is allowed or denied an operation on a resource. Enumerations are kept as Kafka's numbers, so
/// that an ACL of a newer broker can be returned too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AclBinding {
    /// A number of Kafka's `ResourceType`.
    pub resource_type: i8,
    /// The name of the resource, or the prefix of names, as `pattern_type` says.
    pub resource_name: String,
    /// A number of Kafka's `PatternType`: whether the name is literal or a prefix.
    pub pattern_type: i8,
    /// The principal, such as `User:alice`.
    pub principal: String,
    /// The host that requests come from; `*` for every host.
    pub host: String,
    /// A number of Kafka's `AclOperation`.
    pub operation: i8,
    /// A number of Kafka's `AclPermissionType`.
    pub permission: i8,
}

/// Selects ACLs; `None` and the number of ANY match every value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AclBindingFilter {
    /// A number of Kafka's `ResourceType`.
    pub resource_type: i8,
    /// The name of the resource.
    pub resource_name: Option<String>,
    /// A number of Kafka's `PatternType`; MATCH selects every ACL that applies to the name.
    pub pattern_type: i8,
    /// The principal, such as `User:alice`.
    pub principal: Option<String>,
    /// The host that requests come from.
    pub host: Option<String>,
    /// A number of Kafka's `AclOperation`.
    pub operation: i8,
    /// A number of Kafka's `AclPermissionType`.
    pub permission: i8,
}

impl Admin {
    /// Returns the ACLs that a filter matches, in the order of the broker's answer.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if the broker refuses the request.
    pub async fn describe_acls(
        &self,
        filter: AclBindingFilter,
        deadline: Instant,
    ) -> Result<Vec<AclBinding>, ClientError> {
        let request = DescribeAclsRequest {
            resource_type_filter: filter.resource_type,
            resource_name_filter: filter.resource_name,
            pattern_type_filter: filter.pattern_type,
            principal_filter: filter.principal,
            host_filter: filter.host,
            operation: filter.operation,
            permission_type: filter.permission,
        };
        let response = self
            .ask(Target::Any, |_| request.clone(), |_| None, deadline)
            .await?;
        outcome(response.error_code, None, response.error_message)?;
        let mut found = Vec::new();
        for resource in response.resources {
            found.extend(resource.acls.into_iter().map(|acl| AclBinding {
                resource_type: resource.resource_type,
                resource_name: resource.resource_name.clone(),
                pattern_type: resource.pattern_type,
                principal: acl.principal,
                host: acl.host,
                operation: acl.operation,
                permission: acl.permission_type,
            }));
        }
        Ok(found)
    }

    /// Creates ACLs; one that exists already stays. The outcomes are in the order of `acls`.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a rule that was refused has its error in its own result.
    pub async fn create_acls(
        &self,
        acls: Vec<AclBinding>,
        deadline: Instant,
    ) -> Result<Vec<Result<(), ClientError>>, ClientError> {
        let count = acls.len();
        let creation = |acl: AclBinding| AclCreation {
            resource_type: acl.resource_type,
            resource_name: acl.resource_name,
            resource_pattern_type: acl.pattern_type,
            principal: acl.principal,
            host: acl.host,
            operation: acl.operation,
            permission_type: acl.permission,
        };
        let request = CreateAclsRequest {
            creations: acls.into_iter().map(creation).collect(),
        };
        let response = self
            .ask(
                Target::Controller,
                |_| request.clone(),
                |response| not_controller(response.results.iter().map(|one| one.error_code)),
                deadline,
            )
            .await?;
        let results = response.results.into_iter();
        let outcomes = results.map(|one| outcome(one.error_code, None, one.error_message));
        whole(count, outcomes.collect())
    }

    /// Deletes the ACLs that each filter matches, and returns them: each of them may fail by itself. The outcomes are
    /// in the order of the filters.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a filter that was refused has its error in its own result.
    pub async fn delete_acls(
        &self,
        filters: Vec<AclBindingFilter>,
        deadline: Instant,
    ) -> Result<Vec<Result<Outcomes<AclBinding, ()>, ClientError>>, ClientError> {
        let count = filters.len();
        let one = |filter: AclBindingFilter| DeleteAclsFilter {
            resource_type_filter: filter.resource_type,
            resource_name_filter: filter.resource_name,
            pattern_type_filter: filter.pattern_type,
            principal_filter: filter.principal,
            host_filter: filter.host,
            operation: filter.operation,
            permission_type: filter.permission,
        };
        let request = DeleteAclsRequest {
            filters: filters.into_iter().map(one).collect(),
        };
        let response = self
            .ask(
                Target::Controller,
                |_| request.clone(),
                |response| {
                    let results = response.filter_results.iter();
                    not_controller(results.map(|one| one.error_code))
                },
                deadline,
            )
            .await?;
        let mut outcomes = Vec::with_capacity(response.filter_results.len());
        for result in response.filter_results {
            let matching = result.matching_acls.into_iter().map(|acl| {
                let deleted = outcome(acl.error_code, None, acl.error_message);
                let binding = AclBinding {
                    resource_type: acl.resource_type,
                    resource_name: acl.resource_name,
                    pattern_type: acl.pattern_type,
                    principal: acl.principal,
                    host: acl.host,
                    operation: acl.operation,
                    permission: acl.permission_type,
                };
                (binding, deleted)
            });
            let refused = outcome(result.error_code, None, result.error_message);
            outcomes.push(refused.map(|()| matching.collect()));
        }
        whole(count, outcomes)
    }
}

/// Answers that are identified by their position alone: if their number differs from the number of questions, none of
/// them counts.
fn whole<T>(count: usize, answers: Vec<T>) -> Result<Vec<T>, ClientError> {
    if answers.len() == count {
        return Ok(answers);
    }
    let text = format!("{} answers to {count} that were asked for", answers.len());
    Err(AttemptError::Protocol(text.into()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_leaves_something_out_counts_for_nothing() {
        assert_eq!(whole(2, vec![1, 2]), Ok(vec![1, 2]));
        assert!(whole(2, vec![1]).is_err());
        assert!(whole(0, vec![1]).is_err());
    }
}
