//! Settings of AWS_MSK_IAM: requests to Amazon's managed Kafka that are signed with the keys of an AWS identity.

use super::secret::{Callback, Secret};

/// The keys of an AWS identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsCredentials {
    /// The access key id.
    pub access_key_id: String,
    /// The secret access key, which signs.
    pub secret_access_key: Secret,
    /// The session token of keys that hold for a while only.
    pub session_token: Option<Secret>,
    /// The region that was found along with them.
    pub region: Option<String>,
}

/// What AWS_MSK_IAM needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsMskIamConfig {
    /// Where the cluster is; when `None`, the region of the credentials, or else that in the name of the broker's host.
    pub region: Option<String>,
    /// Where keys come from; asked for each connection.
    pub credentials: Callback<AwsCredentials>,
}
