//! UpdateFeatures, versions 0 to 2 (KIP-584).
//!
//! Kept: Kafka's checks of levels and kinds of updates, all or nothing; dry runs (version 1); one error for all features (2).
//!
//! Skipped: the levels are those of the release, and a change of one is refused: FEATURE_UPDATE_FAILED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::update_features::{
    FeatureUpdateKey, UpdatableFeatureResult, UpdateFeaturesRequest, UpdateFeaturesResponse,
};

use super::{Answer, Peer, Serve};
use crate::features::{self, Feature};

/// First version with kinds of updates instead of a permission to downgrade.
const KINDS_SINCE: i16 = 1;
/// First version without results for single features.
const NO_RESULTS_SINCE: i16 = 2;
const UPGRADE: i8 = 1;
const SAFE_DOWNGRADE: i8 = 2;
const UNSAFE_DOWNGRADE: i8 = 3;

impl Serve for UpdateFeaturesRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<UpdateFeaturesResponse> {
        let features = features::of(peer.cluster.config.release);
        let refusal = self.feature_updates.iter().find_map(|update| {
            let checked = check(update, &features, version, self.validate_only);
            let name = &update.feature;
            let level = update.max_version_level;
            let told =
                |reason| format!("Invalid update version {level} for feature {name}. {reason}");
            checked.err().map(|(code, reason)| (code, told(reason)))
        });
        let Some((code, reason)) = refusal else {
            return Answer::Now(respond(&self, version, 0, None));
        };
        let reason = format!(
            "The update failed for all features since the following feature had an error: {reason}"
        );
        Answer::Now(UpdateFeaturesResponse {
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
        error_message: reason.map(str::to_owned),
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

fn check(
    update: &FeatureUpdateKey,
    features: &[Feature],
    version: i16,
    validate_only: bool,
) -> Result<(), (ErrorCode, String)> {
    let level = update.max_version_level;
    let invalid = |reason: &str| Err((ErrorCode::InvalidUpdateVersion, reason.to_owned()));
    let downgrades = match update.upgrade_type {
        _ if version < KINDS_SINCE => update.allow_downgrade,
        UPGRADE => false,
        SAFE_DOWNGRADE | UNSAFE_DOWNGRADE => true,
        _ => return invalid("The controller does not support the given upgrade type."),
    };
    if level < 0 {
        return invalid("A feature version cannot be less than 0.");
    }
    let mut known = features.iter();
    let Some(feature) = known.find(|feature| feature.name == update.feature) else {
        return invalid("The controller does not support this feature.");
    };
    let Feature { min, max, .. } = feature;
    if level != 0 && !(*min..=*max).contains(&level) {
        return invalid(&format!(
            "The controller only supports versions {min}-{max}"
        ));
    }
    if level < feature.level && !downgrades {
        return invalid(
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe \
             downgrade.",
        );
    }
    if level < feature.level && feature.name == "metadata.version" {
        return invalid(
            "Refusing to perform the requested downgrade because it might delete metadata information.",
        );
    }
    if level != feature.level && !validate_only {
        let now = feature.level;
        let reason =
            format!("This broker has the levels of its release, which is {now} for this feature.");
        return Err((ErrorCode::FeatureUpdateFailed, reason));
    }
    Ok(())
}
