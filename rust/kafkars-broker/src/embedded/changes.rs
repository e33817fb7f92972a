//! Changes to a cluster that are made from outside, with their errors in the words of the handle.

use crate::cluster::RunningCluster;
use crate::config::NewTopic;
use crate::creation;
use crate::error::EmbeddedBrokerError;
use crate::security::{User, users};

/// Creates a topic.
pub(super) fn create_topic(
    cluster: &RunningCluster,
    topic: &NewTopic,
) -> Result<(), EmbeddedBrokerError> {
    let mut state = cluster.state();
    let planned = creation::plan(cluster, &state, topic, None).map_err(|refusal| {
        EmbeddedBrokerError::Topic {
            topic: topic.name.clone(),
            code: refusal.code,
            reason: refusal.into_message(),
        }
    })?;
    state.insert_topic(planned);
    Ok(())
}

/// Keeps what has been changed, where there is a directory.
pub(super) fn save(cluster: &RunningCluster) -> Result<(), EmbeddedBrokerError> {
    let saved = cluster.save(&mut cluster.state());
    saved.map_err(|error| EmbeddedBrokerError::Storage {
        path: cluster.config.user.data_dir.clone().unwrap_or_default(),
        reason: error.to_string(),
    })
}

/// Makes a user who can log in by PLAIN and SCRAM, or gives one another password.
pub(super) fn set_user(cluster: &RunningCluster, user: &User) -> Result<(), EmbeddedBrokerError> {
    let set = users::set_scram(&mut cluster.state().scram, user);
    set.map_err(|refusal| EmbeddedBrokerError::User {
        user: user.name.clone(),
        code: refusal.code,
        reason: refusal.into_message(),
    })?;
    cluster.passwords.set(user);
    Ok(())
}
