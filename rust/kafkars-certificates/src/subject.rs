//! Formats the subject of a certificate as Java's `X500Principal.getName()` does (RFC 2253).

use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// Attributes that have a keyword in RFC 2253; others are written by their object identifiers.
const KEYWORDS: [(&str, &str); 9] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("0.9.2342.19200300.100.1.1", "UID"),
];

/// The subject of a DER certificate, such as `CN=shop,OU=orders,O=example`; `None` if the bytes are not a certificate.
pub fn distinguished_name(certificate: &[u8]) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(written(certificate.subject()))
}

/// The attributes of a name, the last one first, as in RFC 2253.
fn written(name: &X509Name<'_>) -> String {
    let parts: Vec<String> = name
        .iter()
        .map(|relative| {
            let attributes: Vec<String> = relative.iter().map(attribute).collect();
            attributes.join("+")
        })
        .collect();
    let reversed: Vec<String> = parts.into_iter().rev().collect();
    reversed.join(",")
}

fn attribute(attribute: &AttributeTypeAndValue<'_>) -> String {
    let number = attribute.attr_type().to_id_string();
    let keyword = KEYWORDS.iter().find(|(known, _)| *known == number);
    match (keyword, attribute.as_str()) {
        (Some((_, keyword)), Ok(value)) => format!("{keyword}={}", escaped(value)),
        _ => {
            let bytes = attribute.as_slice().iter();
            let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
            format!("{number}=#{hex}")
        }
    }
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    for (index, character) in value.chars().enumerate() {
        let special = matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';');
        let edge =
            (character == ' ' && (index == 0 || index == last)) || (character == '#' && index == 0);
        if special || edge {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Authority, KeyKind, NewCertificate};

    fn subject(name: &str, organization: Option<&str>) -> String {
        let authority = Authority::new("authority", KeyKind::Ec).unwrap();
        let wanted = NewCertificate {
            organization: organization.map(str::to_owned),
            ..NewCertificate::new(name)
        };
        let made = authority.issue(&wanted).unwrap();
        let chain = crate::chain(made.certificate_pem.as_bytes()).unwrap();
        distinguished_name(&chain[0]).unwrap()
    }

    #[test]
    fn a_subject_is_written_the_way_kafka_writes_it() {
        assert_eq!(subject("shop", None), "CN=shop");
        assert_eq!(subject("shop", Some("example")), "CN=shop,O=example");
        assert_eq!(subject("a, \"b\"", None), "CN=a\\, \\\"b\\\"");
    }

    #[test]
    fn bytes_that_are_no_certificate_have_no_name() {
        assert_eq!(distinguished_name(b""), None);
        assert_eq!(distinguished_name(&[0x30; 64]), None);
    }
}
