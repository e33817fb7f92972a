//! Users and access control rules, set from outside.

use super::{EmbeddedBroker, save};
use crate::cluster::Cluster;
use crate::error::BrokerError;
use crate::security::hash::ScramHash;
use crate::security::{Acl, User, users};

impl EmbeddedBroker {
    /// Makes a user who can log in by PLAIN and SCRAM, or gives one another password.
    ///
    /// # Errors
    /// When the name is empty, there are too many users, or the broker is stopped.
    pub fn add_user(&self, user: &User) -> Result<(), BrokerError> {
        let cluster = self.running()?;
        set_user(cluster, user)?;
        save(cluster)
    }

    /// Removes a user from all mechanisms; false when there is none of that name. Who has logged in stays so.
    ///
    /// # Errors
    /// When the broker is stopped.
    pub fn remove_user(&self, user: &str) -> Result<bool, BrokerError> {
        let cluster = self.running()?;
        let mut removed = cluster.passwords.remove(user);
        for hash in ScramHash::ALL {
            removed |= cluster.state().scram.delete(user, hash.code()).is_ok();
        }
        save(cluster)?;
        Ok(removed)
    }

    /// Adds an access control rule.
    ///
    /// # Errors
    /// When the rule makes no sense, the broker has no access control, or it is stopped.
    pub fn add_acl(&self, rule: Acl) -> Result<(), BrokerError> {
        let cluster = self.running()?;
        let refused = |reason| BrokerError::Acl { reason };
        let authorizer = cluster.authorizer.as_ref().ok_or(BrokerError::NoAcls)?;
        rule.check().map_err(refused)?;
        authorizer.add(rule).map_err(refused)?;
        save(cluster)
    }

    /// Removes an access control rule; false when it is not there.
    ///
    /// # Errors
    /// When the broker has no access control, or is stopped.
    pub fn remove_acl(&self, rule: &Acl) -> Result<bool, BrokerError> {
        let cluster = self.running()?;
        let authorizer = cluster.authorizer.as_ref().ok_or(BrokerError::NoAcls)?;
        let removed = authorizer.remove_one(rule);
        save(cluster)?;
        Ok(removed)
    }

    /// All access control rules, in order.
    ///
    /// # Errors
    /// When the broker is stopped.
    pub fn acls(&self) -> Result<Vec<Acl>, BrokerError> {
        let authorizer = self.running()?.authorizer.as_ref();
        Ok(authorizer.map(|it| it.all()).unwrap_or_default())
    }
}

pub(super) fn set_user(cluster: &Cluster, user: &User) -> Result<(), BrokerError> {
    let set = users::set_scram(&mut cluster.state().scram, user);
    set.map_err(|refusal| BrokerError::User {
        user: user.name.clone(),
        code: refusal.code,
        reason: refusal.into_message(),
    })?;
    cluster.passwords.set(user);
    Ok(())
}
