//! Trusted certificates: the system's authorities, or those of a file, a directory or a PEM text.

use std::path::Path;

use kafkars_certificates::Trusted;
use kafkars_core::config::TlsConfig;
use rustls::pki_types::{CertificateDer, TrustAnchor};

use super::failure::TlsFailure;
use super::setting_files::{read, setting};

const CA_LOCATION: &str = "ssl_ca_location";
const CA_PEM: &str = "ssl_ca_pem";

/// The trusted certificates.
#[derive(Debug)]
pub(super) struct Roots {
    certificates: Vec<TrustedCertificate>,
    source: Source,
}

/// The source of certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The system's trust store, which holds authorities only.
    System,
    /// The settings, which may also name a broker's own certificate.
    Settings,
}

/// A trusted certificate: it vouches for those it signed if it is an authority, and for itself if the settings name it.
#[derive(Debug)]
pub(super) struct TrustedCertificate {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) about: Trusted,
    anchor: TrustAnchor<'static>,
}

impl TrustedCertificate {
    /// Why certificates that it signed are not accepted at this time, in seconds since 1970; `None` if they are.
    pub(super) fn obstacle(&self, now: i64) -> Option<&'static str> {
        let (from, until) = self.about.valid;
        match () {
            () if !self.about.is_authority => Some("is no authority"),
            () if now > until => Some("has expired"),
            () if now < from => Some("is not valid yet"),
            () => None,
        }
    }
}

impl Roots {
    /// The authorities that are valid at this time, and their trust anchors for webpki.
    pub(super) fn at(&self, now: i64) -> (Vec<&TrustedCertificate>, Vec<TrustAnchor<'_>>) {
        let able = self.all().filter(|each| each.obstacle(now).is_none());
        let able: Vec<&TrustedCertificate> = able.collect();
        let anchors = able.iter().map(|each| each.anchor.clone()).collect();
        (able, anchors)
    }

    /// The certificate among those of the settings, where it is trusted itself.
    pub(super) fn given(&self, certificate: &CertificateDer<'_>) -> Option<&TrustedCertificate> {
        let is_believed_itself = self.source == Source::Settings;
        let mut same = self.all().filter(|each| each.certificate == *certificate);
        same.next().filter(|_| is_believed_itself)
    }

    /// All certificates, whether or not they may sign.
    pub(super) fn all(&self) -> std::slice::Iter<'_, TrustedCertificate> {
        self.certificates.iter()
    }
}

/// Reads the certificates that the settings name, or the system's.
pub(super) fn roots(config: &TlsConfig) -> Result<Roots, TlsFailure> {
    let mut given = Vec::new();
    if let Some(location) = &config.ca_location {
        if location.is_dir() {
            add_directory(&mut given, location)?;
        } else {
            add_pem(&mut given, CA_LOCATION, &read(CA_LOCATION, location)?)?;
        }
    }
    if let Some(pem) = &config.ca_pem {
        add_pem(&mut given, CA_PEM, pem.as_bytes())?;
    }
    if config.ca_location.is_some() || config.ca_pem.is_some() {
        return Ok(Roots {
            certificates: given,
            source: Source::Settings,
        });
    }
    let found = rustls_native_certs::load_native_certs();
    // One that cannot be used does not spoil the others.
    given.extend(found.certs.into_iter().filter_map(usable));
    if given.is_empty() {
        let why = found
            .errors
            .first()
            .map_or_else(String::new, |error| format!(" ({error})"));
        return Err(setting(
            CA_LOCATION,
            format!(
                "the system has no certificates of authorities{why}; install its ca-certificates, or give a PEM file here"
            ),
        ));
    }
    Ok(Roots {
        certificates: given,
        source: Source::System,
    })
}

/// Adds every file of a directory that holds certificates; others are skipped, and so is what is no file: a pipe might
/// never answer.
fn add_directory(given: &mut Vec<TrustedCertificate>, directory: &Path) -> Result<(), TlsFailure> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| setting(CA_LOCATION, format!("{}: {error}", directory.display())))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_file()
            && let Ok(content) = std::fs::read(&path)
        {
            // One that cannot be read does not spoil the others.
            let certificates = kafkars_certificates::readable_certificates(&content);
            given.extend(certificates.into_iter().filter_map(usable));
        }
    }
    if given.is_empty() {
        return Err(setting(
            CA_LOCATION,
            format!("{} holds no PEM certificate", directory.display()),
        ));
    }
    Ok(())
}

fn add_pem(
    given: &mut Vec<TrustedCertificate>,
    name: &'static str,
    pem: &[u8],
) -> Result<(), TlsFailure> {
    let certificates = kafkars_certificates::certificates(pem);
    let certificates = certificates.map_err(|error| setting(name, format!("no PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(setting(
            name,
            format!(
                "holds no PEM certificate (-----BEGIN CERTIFICATE-----){}",
                kafkars_certificates::instead(pem)
            ),
        ));
    }
    for certificate in certificates {
        let usable = usable(certificate);
        given.push(usable.ok_or_else(|| setting(name, "a certificate cannot be used".to_owned()))?);
    }
    Ok(())
}

fn usable(certificate: CertificateDer<'static>) -> Option<TrustedCertificate> {
    let about = Trusted::read(&certificate)?;
    let anchor = webpki::anchor_from_trusted_cert(&certificate).ok()?;
    let anchor = anchor.to_owned();
    Some(TrustedCertificate {
        certificate,
        about,
        anchor,
    })
}
