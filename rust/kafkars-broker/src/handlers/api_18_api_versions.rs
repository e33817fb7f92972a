//! ApiVersions, versions 0 to 4.
//!
//! Kept: the answer in version 0 to a version that is too new, with the versions of this API (KIP-511); the check of
//! the client's software name, and features (version 3, KIP-584): those of the release
//! that this broker has, at the levels that they are at.

use kafkars_protocol::messages::api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey,
};
use kafkars_protocol::{ApiKey, ErrorCode};

use super::{Handled, Peer, Serve};
use crate::features::Feature;
use crate::versions;

/// First version in which the client names its software.
const SOFTWARE_SINCE: i16 = 3;

/// First version for clients that can read features whose lowest level is 0 (KIP-1022).
const LEVEL_0_SINCE: i16 = 4;

impl Serve for ApiVersionsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ApiVersionsResponse> {
        if version >= SOFTWARE_SINCE
            && !(is_name(&self.client_software_name) && is_name(&self.client_software_version))
        {
            return Handled::Now(self.refuse(peer, version, ErrorCode::InvalidRequest));
        }
        let state = peer.cluster.state();
        let features = state.features.all();
        let finalized_features_epoch = if features.is_empty() {
            ApiVersionsResponse::default().finalized_features_epoch
        } else {
            state.features.epoch()
        };
        Handled::Now(ApiVersionsResponse {
            api_keys: offered(peer),
            supported_features: features
                .iter()
                .filter(|feature| feature.min > 0 || version >= LEVEL_0_SINCE)
                .map(supported)
                .collect(),
            finalized_features_epoch,
            finalized_features: features.iter().filter_map(finalized).collect(),
            ..ApiVersionsResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ApiVersionsResponse {
        ApiVersionsResponse {
            error_code: code.code(),
            ..ApiVersionsResponse::default()
        }
    }
}

fn supported(feature: &Feature) -> SupportedFeatureKey {
    SupportedFeatureKey {
        name: feature.name.to_owned(),
        min_version: feature.min,
        max_version: feature.max,
    }
}

/// Level 0 is the same as none.
fn finalized(feature: &Feature) -> Option<FinalizedFeatureKey> {
    (feature.level > 0).then(|| FinalizedFeatureKey {
        name: feature.name.to_owned(),
        max_version_level: feature.level,
        min_version_level: feature.level,
    })
}

/// The answer to a version that is not served, itself in version 0.
pub(super) fn unsupported(peer: &Peer) -> ApiVersionsResponse {
    let named = peer.cluster.config.release.names_versions_when_refusing();
    let mut api_keys = offered(peer);
    api_keys.retain(|entry| named && entry.api_key == ApiKey::ApiVersions.as_i16());
    ApiVersionsResponse {
        error_code: ErrorCode::UnsupportedVersion.code(),
        api_keys,
        ..ApiVersionsResponse::default()
    }
}

fn offered(peer: &Peer) -> Vec<ApiVersion> {
    let entry = |(api, versions): (ApiKey, kafkars_protocol::VersionRange)| ApiVersion {
        api_key: api.as_i16(),
        // Kafka 4 says so too, though it serves 3 and later, as older ones do here: librdkafka refuses to compress for
        // a broker without version 0.
        min_version: if api == ApiKey::Produce {
            0
        } else {
            versions.min
        },
        max_version: versions.max,
    };
    versions::offered(&peer.cluster.config).map(entry).collect()
}

/// Letters and digits, with dots and dashes between them.
fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.bytes().all(inner) && outer(text.as_bytes().first()) && outer(text.as_bytes().last())
}
