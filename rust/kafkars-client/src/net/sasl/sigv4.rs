//! AWS Signature Version 4, in the form that a URL carries ("presigned").

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use aws_lc_rs::{digest, hmac};
use kafkars_core::config::AwsCredentials;
use zeroize::Zeroizing;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The query parameter that holds the signature.
pub(super) const SIGNATURE: &str = "X-Amz-Signature";

/// The signed parts of a GET request without a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presigned<'a> {
    pub(super) host: &'a str,
    pub(super) path: &'a str,
    /// Query parameters besides those that the signature adds.
    pub(super) query: &'a [(&'a str, &'a str)],
    pub(super) service: &'a str,
    pub(super) region: &'a str,
    /// How long the signature is valid.
    pub(super) expires: Duration,
    /// The hash of the body in hexadecimal.
    pub(super) payload: &'a str,
    pub(super) now: SystemTime,
}

impl Presigned<'_> {
    /// Returns the query parameters in order, the signature last.
    pub(super) fn sign(&self, credentials: &AwsCredentials) -> Vec<(String, String)> {
        let moment = timestamp(self.now);
        let date = &moment[..8];
        let scope = format!("{date}/{}/{}/aws4_request", self.region, self.service);
        let credential = format!("{}/{scope}", credentials.access_key_id);
        let expires = self.expires.as_secs().to_string();
        let mut parameters: Vec<(String, String)> = Vec::new();
        let mut add =
            |name: &str, value: &str| parameters.push((name.to_owned(), value.to_owned()));
        for (name, value) in self.query {
            add(name, value);
        }
        add("X-Amz-Algorithm", ALGORITHM);
        add("X-Amz-Credential", &credential);
        add("X-Amz-Date", &moment);
        add("X-Amz-Expires", &expires);
        if let Some(token) = &credentials.session_token {
            add("X-Amz-Security-Token", token.expose());
        }
        add("X-Amz-SignedHeaders", "host");
        parameters.sort_unstable();
        let canonical = format!(
            "GET\n{}\n{}\nhost:{}\n\nhost\n{}",
            self.path,
            query(&parameters),
            self.host,
            self.payload
        );
        let hashed = hexadecimal(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
        let signed = format!("{ALGORITHM}\n{moment}\n{scope}\n{hashed}");
        let key = signing_key(credentials, date, self.region, self.service);
        let signature = hexadecimal(&hmac_of(&key, signed.as_bytes()));
        parameters.push((SIGNATURE.to_owned(), signature));
        parameters
    }
}

/// Formats query parameters for a URL.
pub(super) fn query(parameters: &[(String, String)]) -> String {
    let each = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    each.collect::<Vec<_>>().join("&")
}

fn signing_key(
    credentials: &AwsCredentials,
    date: &str,
    region: &str,
    service: &str,
) -> Zeroizing<Vec<u8>> {
    let mut secret = Zeroizing::new(b"AWS4".to_vec());
    secret.extend_from_slice(credentials.secret_access_key.expose().as_bytes());
    let parts = [date, region, service, "aws4_request"];
    parts
        .iter()
        .fold(secret, |key, part| hmac_of(&key, part.as_bytes()))
}

fn hmac_of(key: &[u8], data: &[u8]) -> Zeroizing<Vec<u8>> {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data);
    Zeroizing::new(tag.as_ref().to_vec())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Formats a time like `20150830T123600Z`.
fn timestamp(now: SystemTime) -> String {
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// The date that is so many days after 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that the leap day is their last: counted from 1 March of the year 0.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use kafkars_core::config::Secret;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn credentials(id: &str, secret: &str) -> AwsCredentials {
        AwsCredentials {
            access_key_id: id.to_owned(),
            secret_access_key: Secret::new(secret),
            session_token: None,
            region: None,
        }
    }

    /// From AWS's documentation, "Authenticating requests: using query parameters".
    #[test]
    fn the_signature_is_that_of_the_documented_example() {
        let credentials = credentials(
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        );
        let request = Presigned {
            host: "examplebucket.s3.amazonaws.com",
            path: "/test.txt",
            query: &[],
            service: "s3",
            region: "us-east-1",
            expires: Duration::from_secs(86_400),
            payload: "UNSIGNED-PAYLOAD",
            now: at(1_369_353_600),
        };
        let parameters = request.sign(&credentials);
        assert_eq!(
            query(&parameters),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&\
             X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&\
             X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&\
             X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        );
    }

    /// From AWS's documentation, "Create a signed AWS API request".
    #[test]
    fn the_signing_key_is_that_of_the_documented_example() {
        let credentials = credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        let key = signing_key(&credentials, "20150830", "us-east-1", "iam");
        assert_eq!(
            hexadecimal(&key),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
        );
    }

    #[test]
    fn moments_are_written_as_aws_reads_them() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (1_704_067_199, "20231231T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(timestamp(at(seconds)), text);
        }
    }

    #[test]
    fn what_is_reserved_in_urls_is_encoded() {
        assert_eq!(encoded("kafka-cluster:Connect"), "kafka-cluster%3AConnect");
        assert_eq!(encoded("a/b+c= ~ä"), "a%2Fb%2Bc%3D%20~%C3%A4");
    }
}
