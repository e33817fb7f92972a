//! Users and access control rules, set from outside.

use super::EmbeddedBroker;
use super::changes::{save, set_user};
use crate::error::EmbeddedBrokerError;
use crate::security::hash::HashAlgorithm;
use crate::security::{Acl, User};

impl EmbeddedBroker {
    /// Makes a user who can log in by PLAIN and SCRAM, or gives one another password.
    ///
    /// # Errors
    /// When the name is empty, there are too many users, or the broker is stopped.
    pub fn add_user(&self, user: &User) -> Result<(), EmbeddedBrokerError> {
        let cluster = self.running()?;
        set_user(cluster, user)?;
        save(cluster)
    }

    /// Removes a user from all mechanisms; false when there is none of that name. Who has logged in stays so.
    ///
    /// # Errors
    /// When the broker is stopped.
    pub fn remove_user(&self, user: &str) -> Result<bool, EmbeddedBrokerError> {
        let cluster = self.running()?;
        let mut removed = cluster.passwords.remove(user);
        for hash in HashAlgorithm::ALL {
            removed |= cluster.state().scram.delete(user, hash.code()).is_ok();
        }
        save(cluster)?;
        Ok(removed)
    }

    /// Adds an access control rule.
    ///
    /// # Errors
    /// When the rule makes no sense, the broker has no access control, or it is stopped.
    pub fn add_acl(&self, rule: Acl) -> Result<(), EmbeddedBrokerError> {
        let cluster = self.running()?;
        let refused = |reason| EmbeddedBrokerError::Acl { reason };
        let authorizer = cluster
            .authorizer
            .as_ref()
            .ok_or(EmbeddedBrokerError::NoAcls)?;
        rule.check().map_err(refused)?;
        authorizer.add(rule).map_err(refused)?;
        save(cluster)
    }

    /// Removes an access control rule; false when it is not there.
    ///
    /// # Errors
    /// When the broker has no access control, or is stopped.
    pub fn remove_acl(&self, rule: &Acl) -> Result<bool, EmbeddedBrokerError> {
        let cluster = self.running()?;
        let authorizer = cluster
            .authorizer
            .as_ref()
            .ok_or(EmbeddedBrokerError::NoAcls)?;
        let removed = authorizer.remove_one(rule);
        save(cluster)?;
        Ok(removed)
    }

    /// All access control rules, in order.
    ///
    /// # Errors
    /// When the broker is stopped.
    pub fn acls(&self) -> Result<Vec<Acl>, EmbeddedBrokerError> {
        let authorizer = self.running()?.authorizer.as_ref();
        Ok(authorizer.map(|it| it.all()).unwrap_or_default())
    }
}
