//! Schemas of Avro as they are handed to what decodes.

use serde_json::Value;

/// The schema without the logical type `uuid` of strings: text stays text, as in Spark's `from_avro`, also where it is
/// no UUID. Sixteen bytes would be made of it otherwise, or a refusal.
pub(super) fn with_plain_text(schema: &str) -> String {
    let Ok(mut parsed) = serde_json::from_str(schema) else {
        return schema.to_owned();
    };
    if strip(&mut parsed) {
        parsed.to_string()
    } else {
        schema.to_owned()
    }
}

/// Answers true if anything was taken out.
fn strip(schema: &mut Value) -> bool {
    match schema {
        // All of them, not only up to the first that has one.
        Value::Array(branches) => branches
            .iter_mut()
            .fold(false, |found, branch| strip(branch) | found),
        Value::Object(members) => {
            let is_text = members.get("type").and_then(Value::as_str) == Some("string");
            let is_uuid = members.get("logicalType").and_then(Value::as_str) == Some("uuid");
            let mut found = is_text && is_uuid;
            if found {
                members.remove("logicalType");
            }
            for inner in ["type", "items", "values", "fields"] {
                if let Some(inner) = members.get_mut(inner) {
                    found |= strip(inner);
                }
            }
            found
        }
        _ => false,
    }
}
