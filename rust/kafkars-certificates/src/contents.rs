//! Says what a text contains instead of what was expected. Only known section names are quoted: a damaged first line
//! may hold a part of a key.

/// Sections in files of certificates and keys, and how to convert each.
const SECTIONS: &[(&str, &str)] = &[
    ("CERTIFICATE", ""),
    ("X509 CERTIFICATE", ""),
    (
        "TRUSTED CERTIFICATE",
        "convert it with `openssl x509 -in FILE -out NEW`",
    ),
    (
        "CERTIFICATE REQUEST",
        "give the certificate that was issued for it",
    ),
    (
        "NEW CERTIFICATE REQUEST",
        "give the certificate that was issued for it",
    ),
    ("X509 CRL", ""),
    (
        "PKCS7",
        "take the certificates out with `openssl pkcs7 -print_certs -in FILE -out NEW`",
    ),
    ("PUBLIC KEY", ""),
    ("RSA PUBLIC KEY", ""),
    ("PRIVATE KEY", ""),
    ("ENCRYPTED PRIVATE KEY", ""),
    ("RSA PRIVATE KEY", ""),
    ("EC PRIVATE KEY", ""),
    ("DSA PRIVATE KEY", "TLS has no such keys any more"),
    (
        "OPENSSH PRIVATE KEY",
        "convert it with `ssh-keygen -p -m PKCS8 -f FILE`",
    ),
    ("EC PARAMETERS", ""),
    ("DH PARAMETERS", ""),
];

const BEGIN: &[u8] = b"-----BEGIN ";

/// Returns a clause that follows "holds no ..."; empty if there is nothing helpful to say.
pub(crate) fn found_instead(text: &[u8]) -> String {
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return ": it is UTF-16; save it as UTF-8".to_owned();
    }
    // A DER sequence of more than 255 bytes.
    if text.starts_with(&[0x30, 0x82]) {
        return ": it is DER; convert it with `openssl x509 -inform der`, or `openssl pkey -inform der` if it is a key"
            .to_owned();
    }
    let mut found = Vec::new();
    let mut is_unknown = false;
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let Some(rest) = line.strip_prefix(BEGIN) else {
            continue;
        };
        let label = rest.strip_suffix(b"-----");
        let known = SECTIONS
            .iter()
            .find(|(name, _)| label == Some(name.as_bytes()));
        match known {
            Some(section) if !found.contains(section) => found.push(*section),
            Some(_) => {}
            None => is_unknown = true,
        }
    }
    let mut named: Vec<String> = found.iter().map(named).collect();
    if is_unknown {
        named.push("a section of another name".to_owned());
    }
    if named.is_empty() {
        return match text.windows(BEGIN.len()).any(|window| window == BEGIN) {
            true => ": -----BEGIN has to stand at the start of a line".to_owned(),
            false => String::new(),
        };
    }
    format!(", but {}", named.join(", "))
}

fn named((name, advice): &(&str, &str)) -> String {
    match advice.is_empty() {
        true => format!("-----BEGIN {name}-----"),
        false => format!("-----BEGIN {name}----- ({advice})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_known_are_quoted() {
        let cases: [(&[u8], &str); 8] = [
            (b"", ""),
            (b"nothing", ""),
            (b"-----BEGIN PKCS7-----\n", "pkcs7 -print_certs"),
            (
                b"-----BEGIN PRIVATE KEY-----\nx\n-----BEGIN X509 CRL-----\n",
                "PRIVATE KEY-----, -----BEGIN X509",
            ),
            (
                b"-----BEGIN MIGHAgEAMBMG-----\n",
                "a section of another name",
            ),
            (b"  -----BEGIN CERTIFICATE-----", "start of a line"),
            (b"\xff\xfe-\0-\0", "UTF-16"),
            (b"\x30\x82\x01\x01", "DER"),
        ];
        for (text, expected) in cases {
            let said = found_instead(text);
            assert!(said.contains(expected), "{text:?}: {said}");
            assert!(!said.contains("MIGH"), "{said}");
        }
    }
}
