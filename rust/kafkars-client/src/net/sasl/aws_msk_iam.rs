//! AWS_MSK_IAM: a signed request to connect, as one JSON message; and the same request as a token for OAUTHBEARER.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kafkars_core::config::{AwsCredentials, Secret, Token};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::sigv4::{Presigned, SIGNATURE, query};

/// The version of the message format.
const VERSION: &str = "2020_10_22";
const SERVICE: &str = "kafka-cluster";
const ACTION: &str = "kafka-cluster:Connect";
const USER_AGENT: &str = concat!("kafkars/", env!("CARGO_PKG_VERSION"));

/// How long a signature is valid; brokers accept no more.
const EXPIRES: Duration = Duration::from_secs(900);

/// SHA-256 of the empty body of the request.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The message of AWS_MSK_IAM, and the signature in it, which is a secret as long as it is valid.
pub(super) fn message(
    credentials: &AwsCredentials,
    region: &str,
    host: &str,
    now: SystemTime,
) -> (Zeroizing<Vec<u8>>, Secret) {
    let host = host.trim_end_matches('.');
    let mut fields = Map::new();
    let mut add = |name: &str, value: &str| fields.insert(name.to_owned(), Value::from(value));
    add("version", VERSION);
    add("host", host);
    add("user-agent", USER_AGENT);
    let mut signature = String::new();
    for (name, value) in signed(credentials, region, host, now) {
        add(&name.to_ascii_lowercase(), &value);
        if name == SIGNATURE {
            signature = value;
        }
    }
    let message = Zeroizing::new(Value::Object(fields).to_string().into_bytes());
    (message, Secret::new(signature))
}

/// The same request as a token: its URL, in the form of Amazon's own signers for OAUTHBEARER.
pub(super) fn token(credentials: &AwsCredentials, region: &str, now: SystemTime) -> Token {
    let host = format!("kafka.{region}.amazonaws.com");
    let parameters = signed(credentials, region, &host, now);
    let url = Zeroizing::new(format!(
        "https://{host}/?{}&User-Agent={}",
        query(&parameters),
        USER_AGENT.replace('/', "%2F")
    ));
    Token {
        value: Secret::new(URL_SAFE_NO_PAD.encode(url.as_bytes())),
        expires_at: now.checked_add(EXPIRES),
        extensions: Vec::new(),
    }
}

/// The AWS region in a broker's host name, such as `b-1.orders.abc123.c2.kafka.eu-west-1.amazonaws.com`.
pub(super) fn region_of(host: &str) -> Option<&str> {
    let host = host.trim_end_matches('.');
    let name = host.strip_suffix(".cn").unwrap_or(host);
    let name = name.strip_suffix(".amazonaws.com")?;
    let mut labels = name.rsplit('.');
    let region = labels.next().filter(|region| !region.is_empty())?;
    matches!(labels.next(), Some("kafka" | "kafka-serverless")).then_some(region)
}

fn signed(
    credentials: &AwsCredentials,
    region: &str,
    host: &str,
    now: SystemTime,
) -> Vec<(String, String)> {
    let request = Presigned {
        host,
        path: "/",
        query: &[("Action", ACTION)],
        service: SERVICE,
        region,
        expires: EXPIRES,
        payload: EMPTY,
        now,
    };
    request.sign(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(session_token: Option<&str>) -> AwsCredentials {
        AwsCredentials {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: session_token.map(Secret::new),
            region: None,
        }
    }

    fn moment() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    #[test]
    fn the_message_has_the_fields_that_brokers_demand() {
        let host = "b-1.orders.kafka.eu-west-1.amazonaws.com";
        let (text, signature) =
            message(&credentials(Some("a/token+")), "eu-west-1", host, moment());
        assert_eq!(signature.expose().len(), 64);
        let fields: Map<String, Value> = serde_json::from_slice(&text).expect("it is JSON");
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "action",
                "host",
                "user-agent",
                "version",
                "x-amz-algorithm",
                "x-amz-credential",
                "x-amz-date",
                "x-amz-expires",
                "x-amz-security-token",
                "x-amz-signature",
                "x-amz-signedheaders",
            ]
        );
        assert_eq!(fields["host"], host);
        assert_eq!(fields["action"], "kafka-cluster:Connect");
        assert_eq!(fields["x-amz-security-token"], "a/token+");
        assert_eq!(
            fields["x-amz-credential"],
            "AKIDEXAMPLE/20150830/eu-west-1/kafka-cluster/aws4_request"
        );
        let (without, _) = message(&credentials(None), "eu-west-1", host, moment());
        assert!(!String::from_utf8_lossy(&without).contains("security-token"));
    }

    #[test]
    fn the_region_is_in_the_name_of_the_broker() {
        for (host, region) in [
            (
                "b-1.orders.abc.c2.kafka.eu-west-1.amazonaws.com",
                Some("eu-west-1"),
            ),
            (
                "boot-x.c1.kafka-serverless.us-east-1.amazonaws.com",
                Some("us-east-1"),
            ),
            (
                "b-1.a.kafka.cn-north-1.amazonaws.com.cn",
                Some("cn-north-1"),
            ),
            ("b-1.a.kafka.eu-west-1.amazonaws.com.", Some("eu-west-1")),
            ("kafka.example.com", None),
            ("s3.eu-west-1.amazonaws.com", None),
            ("127.0.0.1", None),
            ("", None),
        ] {
            assert_eq!(region_of(host), region, "{host}");
        }
    }
}
