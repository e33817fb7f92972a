//! Whom we believe: the system's authorities, or those of a file, a directory or a PEM text.

use std::path::Path;

use kafkars_core::config::TlsConfig;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};

use super::failure::TlsFailure;
use super::{read, setting};

const CA_LOCATION: &str = "ssl_ca_location";
const CA_PEM: &str = "ssl_ca_pem";
const CRL_LOCATION: &str = "ssl_crl_location";

/// The authorities that the settings name.
pub(super) fn roots(config: &TlsConfig) -> Result<RootCertStore, TlsFailure> {
    let mut store = RootCertStore::empty();
    if let Some(location) = &config.ca_location {
        if location.is_dir() {
            add_directory(&mut store, location)?;
        } else {
            add_pem(&mut store, CA_LOCATION, &read(CA_LOCATION, location)?)?;
        }
    }
    if let Some(pem) = &config.ca_pem {
        add_pem(&mut store, CA_PEM, pem.as_bytes())?;
    }
    if config.ca_location.is_none() && config.ca_pem.is_none() {
        let found = rustls_native_certs::load_native_certs();
        store.add_parsable_certificates(found.certs);
        if store.is_empty() {
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
    }
    Ok(store)
}

/// Every file of a directory that holds certificates, as OpenSSL's directories do; others are passed over.
fn add_directory(store: &mut RootCertStore, directory: &Path) -> Result<(), TlsFailure> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| setting(CA_LOCATION, format!("{}: {error}", directory.display())))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if let Ok(content) = std::fs::read(&path) {
            for certificate in CertificateDer::pem_slice_iter(&content).flatten() {
                // One that webpki cannot read as an authority does not spoil the others.
                store.add_parsable_certificates([certificate]);
            }
        }
    }
    if store.is_empty() {
        return Err(setting(
            CA_LOCATION,
            format!("{} holds no PEM certificate", directory.display()),
        ));
    }
    Ok(())
}

fn add_pem(store: &mut RootCertStore, name: &'static str, pem: &[u8]) -> Result<(), TlsFailure> {
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| setting(name, format!("no PEM: {error}")))?;
        store
            .add(certificate)
            .map_err(|error| setting(name, format!("a certificate cannot be used: {error}")))?;
        count += 1;
    }
    match count {
        0 => Err(setting(
            name,
            "holds no PEM certificate (-----BEGIN CERTIFICATE-----)".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Lists of revoked certificates.
pub(super) fn revocations(
    config: &TlsConfig,
) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsFailure> {
    let Some(location) = &config.crl_location else {
        return Ok(Vec::new());
    };
    let content = read(CRL_LOCATION, location)?;
    let lists: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&content).collect();
    let lists = lists.map_err(|error| setting(CRL_LOCATION, format!("no PEM: {error}")))?;
    match lists.is_empty() {
        true => Err(setting(
            CRL_LOCATION,
            "holds no PEM list (-----BEGIN X509 CRL-----)".to_owned(),
        )),
        false => Ok(lists),
    }
}
