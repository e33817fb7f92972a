//! Recognises timestamps that are not in milliseconds.

/// Guesses by its size which unit a timestamp has, if not milliseconds since 1970: read as milliseconds it would be in
/// the first weeks of 1970 or after the year 5138, and read in that unit it is a time of our days.
#[must_use]
pub const fn mistaken_unit(timestamp: i64) -> Option<&'static str> {
    match timestamp {
        1_000_000_000..10_000_000_000 => Some("seconds"),
        100_000_000_000_000.. => Some("microseconds or nanoseconds"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::mistaken_unit;

    #[test]
    fn a_moment_of_this_time_is_recognised_in_every_unit_but_milliseconds() {
        for seconds in [1_000_000_000, 1_795_343_400, 9_223_372_036] {
            assert_eq!(mistaken_unit(seconds), Some("seconds"));
            assert_eq!(mistaken_unit(seconds * 1_000), None);
            for finer in [1_000_000, 1_000_000_000] {
                let unit = mistaken_unit(seconds * finer);
                assert_eq!(unit, Some("microseconds or nanoseconds"));
            }
        }
        for other in [i64::MIN, -2, -1, 0, 999_999_999, 10_000_000_000] {
            assert_eq!(mistaken_unit(other), None);
        }
    }
}
