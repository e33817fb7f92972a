//! UpdateFeatures, versions 0 to 2 (KIP-584).
//!
//! Kept: Kafka's checks of levels and kinds of updates, all or nothing; dry runs (version 1); one error for all
//! features (2).
//!
//! What changes with a level is what clients are told of it, and that groups of the consumer protocol and share groups
//! are refused while `group.version` or `share.version` is 0. Levels of metadata only go up.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::update_features::{
    FeatureUpdateKey, UpdatableFeatureResult, UpdateFeaturesRequest, UpdateFeaturesResponse,
};

use super::{Handled, Peer, Serve};
use crate::features::{Feature, Features};

/// First version with kinds of updates instead of a permission to downgrade.
const KINDS_SINCE: i16 = 1;
/// First version without results for single features.
const NO_RESULTS_SINCE: i16 = 2;
/// Features that are never taken back.
const METADATA: &str = "metadata.version";
const KRAFT: &str = "kraft.version";
const UPGRADE: i8 = 1;
const SAFE_DOWNGRADE: i8 = 2;
const UNSAFE_DOWNGRADE: i8 = 3;

impl Serve for UpdateFeaturesRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<UpdateFeaturesResponse> {
        let controller = peer.cluster.controller();
        let mut state = peer.cluster.state();
        let features = &mut state.features;
        let refusal = self.feature_updates.iter().find_map(|update| {
            let checked = check(update, features, version, controller);
            checked
                .err()
                .map(|reason| (ErrorCode::InvalidUpdateVersion, reason))
        });
        let Some((code, reason)) = refusal else {
            if !self.validate_only {
                change(&self.feature_updates, features);
            }
            return Handled::Now(respond(&self, version, 0, None));
        };
        let reason = format!(
            "The update failed for all features since the following feature had an error: {reason}"
        );
        Handled::Now(UpdateFeaturesResponse {
            throttle_time_ms: 0,
            error_code: code.code(),
            error_message: Some(reason),
            results: Vec::new(),
        })
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> UpdateFeaturesResponse {
        respond(self, version, code.code(), Some(code.description()))
    }
}

fn respond(
    request: &UpdateFeaturesRequest,
    version: i16,
    error_code: i16,
    reason: Option<&str>,
) -> UpdateFeaturesResponse {
    let updates = request.feature_updates.iter();
    let result = |update: &FeatureUpdateKey| UpdatableFeatureResult {
        feature: update.feature.clone(),
        error_code,
        // Kafka's word for no error.
        error_message: Some(reason.unwrap_or("NONE").to_owned()),
    };
    UpdateFeaturesResponse {
        throttle_time_ms: 0,
        error_code,
        error_message: reason.map(str::to_owned),
        results: updates
            .filter(|_| version < NO_RESULTS_SINCE)
            .map(result)
            .collect(),
    }
}

/// Takes each feature to the level that is named for it last, where it is not there yet.
fn change(updates: &[FeatureUpdateKey], features: &mut Features) {
    for update in updates {
        let (name, level) = (update.feature.as_str(), update.max_version_level);
        if features.find(name).is_some_and(|it| it.level != level) {
            features.set(name, level);
        }
    }
}

/// Checks that a feature can be taken to a level; the error is the reason in words.
fn check(
    update: &FeatureUpdateKey,
    features: &Features,
    version: i16,
    controller: i32,
) -> Result<(), String> {
    let (name, level) = (&update.feature, update.max_version_level);
    let invalid = |reason: &str| {
        Err(format!(
            "Invalid update version {level} for feature {name}. {reason}"
        ))
    };
    let (downgrades, safely) = match update.upgrade_type {
        _ if version < KINDS_SINCE => (update.allow_downgrade, true),
        UPGRADE => (false, true),
        SAFE_DOWNGRADE => (true, true),
        UNSAFE_DOWNGRADE => (true, false),
        _ => return invalid("The controller does not support the given upgrade type."),
    };
    if level < 0 {
        return invalid("A feature version cannot be less than 0.");
    }
    let Some(feature) = features.find(name) else {
        let reason = format!("Local controller {controller} does not support this feature.");
        return invalid(&reason);
    };
    if !(feature.supports(level) || level == 0 && name != METADATA) {
        let Feature { min, max, .. } = feature;
        let reason = format!("Local controller {controller} only supports versions {min}-{max}");
        return invalid(&reason);
    }
    if level >= feature.level {
        return Ok(());
    }
    if !downgrades {
        return invalid(
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe \
             downgrade.",
        );
    }
    let now = feature.level;
    match name.as_str() {
        METADATA => {
            let reason = if safely {
                "Refusing to perform the requested downgrade because it might delete metadata information."
            } else {
                "Unsafe metadata downgrade is not supported in this version."
            };
            Err(format!(
                "Unsupported {METADATA} downgrade from {now} to {level}. {reason}"
            ))
        }
        KRAFT => invalid("Can't downgrade the version of this feature."),
        _ => Ok(()),
    }
}
