//! The schema registry's framing: a zero byte, the id of the writer's schema as a big-endian int32, the payload.

/// Length of the framing before the payload.
pub(super) const FRAME: usize = 5;

/// The id of the schema that a payload was written with.
pub(super) fn schema_id(payload: &[u8]) -> Result<u32, String> {
    match *payload {
        [0, a, b, c, d, ..] => Ok(u32::from_be_bytes([a, b, c, d])),
        [0, ..] | [] => Err(format!(
            "it has {} bytes, fewer than the framing of a schema registry",
            payload.len()
        )),
        [first, ..] => Err(format!(
            "it begins with the byte {first}, not with the zero of a schema registry's framing"
        )),
    }
}
