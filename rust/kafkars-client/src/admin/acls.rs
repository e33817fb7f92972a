//! Access control lists: which principals may do what (KIP-11, KIP-140, KIP-290).

use std::time::Instant;

use kafkars_protocol::messages::create_acls::{AclCreation, CreateAclsRequest};
use kafkars_protocol::messages::delete_acls::{DeleteAclsFilter, DeleteAclsRequest};
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;

use super::handle::Admin;
use super::outcome::{Outcomes, outcome_of};
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
        let named = filter.named();
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
        outcome_of(response.error_code, response.error_message, || named)?;
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
        let creation = |acl: &AclBinding| AclCreation {
            resource_type: acl.resource_type,
            resource_name: acl.resource_name.clone(),
            resource_pattern_type: acl.pattern_type,
            principal: acl.principal.clone(),
            host: acl.host.clone(),
            operation: acl.operation,
            permission_type: acl.permission,
        };
        let request = CreateAclsRequest {
            creations: acls.iter().map(creation).collect(),
        };
        let response = self
            .ask(
                Target::Controller,
                |_| request.clone(),
                |response| not_controller(response.results.iter().map(|one| one.error_code)),
                deadline,
            )
            .await?;
        let results = whole(acls.len(), response.results)?;
        let outcomes = acls.iter().zip(results);
        let outcomes = outcomes
            .map(|(acl, one)| outcome_of(one.error_code, one.error_message, || acl.named()));
        Ok(outcomes.collect())
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
        let one = |filter: &AclBindingFilter| DeleteAclsFilter {
            resource_type_filter: filter.resource_type,
            resource_name_filter: filter.resource_name.clone(),
            pattern_type_filter: filter.pattern_type,
            principal_filter: filter.principal.clone(),
            host_filter: filter.host.clone(),
            operation: filter.operation,
            permission_type: filter.permission,
        };
        let request = DeleteAclsRequest {
            filters: filters.iter().map(one).collect(),
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
        let results = whole(filters.len(), response.filter_results)?;
        let outcomes = filters.iter().zip(results).map(|(filter, result)| {
            let matching = result.matching_acls.into_iter().map(|acl| {
                let binding = AclBinding {
                    resource_type: acl.resource_type,
                    resource_name: acl.resource_name,
                    pattern_type: acl.pattern_type,
                    principal: acl.principal,
                    host: acl.host,
                    operation: acl.operation,
                    permission: acl.permission_type,
                };
                let deleted = outcome_of(acl.error_code, acl.error_message, || binding.named());
                (binding, deleted)
            });
            let taken = outcome_of(result.error_code, result.error_message, || filter.named());
            taken.map(|()| matching.collect())
        });
        Ok(outcomes.collect())
    }
}

impl AclBinding {
    fn named(&self) -> String {
        format!("ACL of {:?} on {:?}", self.principal, self.resource_name)
    }
}

impl AclBindingFilter {
    fn named(&self) -> String {
        let part = |name: &Option<String>| match name {
            Some(name) => format!("{name:?}"),
            None => "any".to_owned(),
        };
        let (principal, resource) = (part(&self.principal), part(&self.resource_name));
        format!("ACLs of {principal} on {resource}")
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
