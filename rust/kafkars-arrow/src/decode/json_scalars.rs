//! Converts single JSON values to the types of columns.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use serde_json::{Number, Value};

/// A float64 keeps this many decimal digits of what was written; later ones may differ.
const SURE_DIGITS: usize = 15;

pub(super) fn truth(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| is_no(value, "boolean"))
}

pub(super) fn integer<T: TryFrom<i64>>(value: &Value) -> Result<T, String> {
    // The JSON parser makes a float of minus zero.
    let is_minus_zero = |number: f64| number == 0.0 && number.is_sign_negative();
    let zero = || {
        value
            .as_f64()
            .filter(|&number| is_minus_zero(number))
            .map(|_| 0)
    };
    let number = value.as_i64().or_else(zero);
    let found = number.and_then(|number| T::try_from(number).ok());
    found.ok_or_else(|| is_no(value, "integer of the column's size"))
}

pub(super) fn float(value: &Value) -> Result<f64, String> {
    let named = match value.as_str() {
        Some("NaN") => Some(f64::NAN),
        Some("Infinity" | "+Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        _ => None,
    };
    value
        .as_f64()
        .or(named)
        .ok_or_else(|| is_no(value, "number"))
}

/// Converts to a float32.
pub(super) fn short_float(value: &Value) -> Result<f32, String> {
    let found = float(value)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the column is of float32; what is too large for it is refused below"
    )]
    let short = found as f32;
    if short.is_infinite() && found.is_finite() {
        return Err(is_no(value, "float of four bytes"));
    }
    Ok(short)
}

/// Converts to text; numbers and booleans become what JSON writes. A number with more digits than were kept is refused.
pub(super) fn text(value: &Value) -> Result<Cow<'_, str>, String> {
    match value {
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Number(number) => sure_digits(number).map(Cow::Owned),
        Value::Bool(_) => Ok(Cow::Owned(value.to_string())),
        _ => Err(is_no(value, "text")),
    }
}

/// Returns a number as it was written, or an error if that is not known.
fn sure_digits(number: &Number) -> Result<String, String> {
    let text = number.to_string();
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if number.is_f64() && digits > SURE_DIGITS {
        return Err(format!(
            "{text} has more digits than a number of JSON keeps; write it as text"
        ));
    }
    Ok(text)
}

/// Converts to days since 1970.
pub(super) fn date(value: &Value) -> Result<i32, String> {
    let found = value
        .as_str()
        .and_then(|text| text.parse::<NaiveDate>().ok());
    let days = found.map(|date| date.signed_duration_since(NaiveDate::default()).num_days());
    days.and_then(|days| i32::try_from(days).ok())
        .ok_or_else(|| is_no(value, "date such as 2026-11-22"))
}

/// Converts to microseconds since 1970; without an offset the text is in UTC.
pub(super) fn timestamp(value: &Value) -> Result<i64, String> {
    let text = value.as_str().unwrap_or_default();
    if let Ok(found) = DateTime::parse_from_rfc3339(text) {
        return Ok(found.timestamp_micros());
    }
    let at = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .or_else(|| text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0));
    at.map(|at| at.and_utc().timestamp_micros())
        .ok_or_else(|| is_no(value, "time such as 2026-11-22T10:00:00Z"))
}

/// Converts a number, or a number as text, to units of ten to the power of `-scale`; halves are rounded away from zero.
pub(super) fn decimal(value: &Value, precision: u8, scale: i8) -> Result<i128, String> {
    let written = match value {
        Value::Number(number) => sure_digits(number)?,
        Value::String(text) => text.clone(),
        _ => String::new(),
    };
    let found = parse_decimal(&written, scale).filter(|units| {
        let most = 10_i128.checked_pow(precision.into());
        most.is_none_or(|most| units.abs() < most)
    });
    found.ok_or_else(|| is_no(value, &format!("decimal({precision},{scale})")))
}

fn parse_decimal(text: &str, scale: i8) -> Option<i128> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // How many of the digits come before the last place that is kept.
    let kept = i64::try_from(whole.len()).ok()? + i64::from(exponent) + i64::from(scale);
    let mut units = 0_i128;
    let mut place = 0_i64;
    for digit in digits().map(|digit| i128::from(digit - b'0')) {
        if place < kept {
            units = units.checked_mul(10)?.checked_add(digit)?;
        } else if place == kept && digit >= 5 {
            units = units.checked_add(1)?;
        }
        place += 1;
    }
    while place < kept && units != 0 {
        units = units.checked_mul(10)?;
        place += 1;
    }
    Some(if negative { -units } else { units })
}

fn is_no(value: &Value, expected: &str) -> String {
    format!("{value} is no {expected}")
}
