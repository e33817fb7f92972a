//! Makes certificates for tests: an authority, and certificates that it signs, with faults where a test needs them.

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer,
    DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256, RevokedCertParams, SerialNumber,
};
use time::{Duration, OffsetDateTime};

/// Certificates are valid from this long before they are made, for clocks that are behind.
const HEAD_START: Duration = Duration::DAY;
/// The lifetime of an authority, which is longer than that of what it signs.
const LIFE_OF_AUTHORITY: Duration = Duration::days(3650);
/// How long a revocation list is valid.
const LIFE_OF_LIST: Duration = Duration::days(365);

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// An elliptic curve key on P-256, made in less than a millisecond.
    #[default]
    Ec,
    /// An RSA key of 2048 bits, made in some tenths of a second.
    Rsa,
}

/// The properties of a certificate to make.
#[derive(Debug, Clone)]
pub struct NewCertificate {
    /// The common name of its subject.
    pub name: String,
    /// The organization of its subject. Default none.
    pub organization: Option<String>,
    /// Host names and addresses of the certificate. Default none.
    pub hosts: Vec<String>,
    /// The kind of its key.
    pub key: KeyKind,
    /// Seconds from now until it expires; if negative it has expired already. Default 365 days.
    pub lifetime_seconds: i64,
}

impl NewCertificate {
    /// Makes the properties for a subject, with defaults otherwise.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            organization: None,
            hosts: Vec::new(),
            key: KeyKind::Ec,
            lifetime_seconds: 365 * 24 * 60 * 60,
        }
    }
}

/// A certificate and its key, both as PEM.
#[derive(Clone)]
pub struct MadeCertificate {
    /// The certificate.
    pub certificate_pem: String,
    /// The private key, as PKCS#8.
    pub key_pem: String,
    serial: SerialNumber,
}

impl std::fmt::Debug for MadeCertificate {
    /// Leaves out the key.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MadeCertificate")
            .field("certificate_pem", &self.certificate_pem)
            .finish_non_exhaustive()
    }
}

/// Why a certificate cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The lifetime ends at a date that no certificate can state.
    #[error("a certificate cannot end {0} seconds from now")]
    Lifetime(i64),
    /// A host or a name that a certificate cannot contain, or a lack of random numbers.
    #[error("the certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
}

/// An authority, which signs certificates.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    /// Makes an authority with a new key.
    ///
    /// # Errors
    /// If the system supplies no random numbers.
    pub fn new(name: &str, key: KeyKind) -> Result<Self, MakeError> {
        let now = OffsetDateTime::now_utc();
        let mut params = CertificateParams::default();
        params.distinguished_name = subject(name, None);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
        ];
        params.not_before = now - HEAD_START;
        params.not_after = now + LIFE_OF_AUTHORITY;
        let issuer = CertifiedIssuer::self_signed(params, new_key(key)?)?;
        Ok(Self { issuer })
    }

    /// The authority's own certificate as PEM: whoever trusts it trusts all that it signs.
    pub fn certificate_pem(&self) -> String {
        self.issuer.pem()
    }

    /// Issues a certificate for a server or a client, with a new key.
    ///
    /// # Errors
    /// If a certificate cannot contain a host, or cannot state the lifetime.
    pub fn issue(&self, wanted: &NewCertificate) -> Result<MadeCertificate, MakeError> {
        let now = OffsetDateTime::now_utc();
        let seconds = wanted.lifetime_seconds;
        let too_far = || MakeError::Lifetime(seconds);
        let end = now
            .checked_add(Duration::seconds(seconds))
            .ok_or_else(too_far)?;
        let start = end.min(now).checked_sub(HEAD_START).ok_or_else(too_far)?;
        if !(1970..=9999).contains(&start.year()) || end.year() > 9999 {
            return Err(too_far());
        }
        let key = new_key(wanted.key)?;
        let mut params = CertificateParams::new(wanted.hosts.clone())?;
        params.distinguished_name = subject(&wanted.name, wanted.organization.as_deref());
        params.key_usages = vec![
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyEncipherment,
        ];
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        params.use_authority_key_identifier_extension = true;
        (params.not_before, params.not_after) = (start, end);
        let serial = SerialNumber::from_slice(&random_serial(&key));
        params.serial_number = Some(serial.clone());
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(MadeCertificate {
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
            serial,
        })
    }

    /// Signs a revocation list, and returns it as PEM.
    ///
    /// # Errors
    /// If the list cannot be signed.
    pub fn revoke(&self, revoked: &[&MadeCertificate]) -> Result<String, MakeError> {
        let now = OffsetDateTime::now_utc();
        let entry = |made: &&MadeCertificate| RevokedCertParams {
            serial_number: made.serial.clone(),
            revocation_time: now - HEAD_START,
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: now - HEAD_START,
            next_update: now + LIFE_OF_LIST,
            crl_number: SerialNumber::from(1u64),
            issuing_distribution_point: None,
            revoked_certs: revoked.iter().map(entry).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        Ok(list.signed_by(&self.issuer)?.pem()?)
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Authority").finish_non_exhaustive()
    }
}

fn new_key(kind: KeyKind) -> Result<KeyPair, MakeError> {
    Ok(KeyPair::generate_for(match kind {
        KeyKind::Ec => &PKCS_ECDSA_P256_SHA256,
        KeyKind::Rsa => &PKCS_RSA_SHA256,
    })?)
}

/// A unique serial number, taken from the key, which is random.
fn random_serial(key: &KeyPair) -> [u8; 16] {
    let mut serial = [0; 16];
    let bytes = key.public_key_raw();
    // Elliptic curve points and RSA moduli are random in their middle.
    let middle = bytes.len() / 2;
    for (to, from) in serial.iter_mut().zip(bytes.iter().skip(middle)) {
        *to = *from;
    }
    // Positive, and not zero.
    serial[0] = serial[0] & 0x7f | 1;
    serial
}

fn subject(name: &str, organization: Option<&str>) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    if let Some(organization) = organization {
        subject.push(DnType::OrganizationName, organization);
    }
    subject.push(DnType::CommonName, name);
    subject
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chain, private_key};

    #[test]
    fn what_is_made_can_be_read_and_debug_tells_no_key() {
        for kind in [KeyKind::Ec, KeyKind::Rsa] {
            let authority = Authority::new("authority", kind).unwrap();
            let wanted = NewCertificate {
                hosts: vec!["localhost".to_owned(), "127.0.0.1".to_owned()],
                key: kind,
                ..NewCertificate::new("broker")
            };
            let made = authority.issue(&wanted).unwrap();
            assert_eq!(chain(made.certificate_pem.as_bytes()).unwrap().len(), 1);
            private_key(made.key_pem.as_bytes(), None).unwrap();
            assert!(!format!("{made:?}{authority:?}").contains("PRIVATE"));
            assert!(authority.revoke(&[&made]).unwrap().contains("X509 CRL"));
        }
    }

    #[test]
    fn impossible_lifetimes_are_errors() {
        let authority = Authority::new("authority", KeyKind::Ec).unwrap();
        for lifetime_seconds in [i64::MIN, i64::MAX, 400_000_000_000] {
            let wanted = NewCertificate {
                lifetime_seconds,
                ..NewCertificate::new("broker")
            };
            assert!(authority.issue(&wanted).is_err(), "{lifetime_seconds}");
        }
    }
}
