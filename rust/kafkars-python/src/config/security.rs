//! Settings of TLS and SASL as the engine takes them.

use std::sync::Arc;

use kafkars_client::config::{
    Callback, ClientIdentity, Pem, SaslConfig, ScramHash, Secret, SecretSource, SecurityConfig,
    SecurityProtocol, TlsConfig, TlsVersion, TokenSource,
};
use pyo3::prelude::*;

use super::ClientSettings;
use super::callbacks::{Function, GivenSecret};
use crate::error;

/// What the settings say, as far as they fit each other.
pub(super) fn checked(settings: &ClientSettings) -> PyResult<SecurityConfig> {
    let protocol = match settings.security_protocol.as_str() {
        "ssl" => SecurityProtocol::Ssl,
        "sasl_plaintext" => SecurityProtocol::SaslPlaintext,
        "sasl_ssl" => SecurityProtocol::SaslSsl,
        _ => SecurityProtocol::Plaintext,
    };
    Python::attach(|py| {
        Ok(SecurityConfig {
            protocol,
            tls: tls(py, settings)?,
            sasl: sasl(py, settings)?,
        })
    })
}

fn tls(py: Python<'_>, settings: &ClientSettings) -> PyResult<TlsConfig> {
    Ok(TlsConfig {
        ca_location: settings.ssl_ca_location.clone(),
        ca_pem: settings.ssl_ca_pem.clone(),
        crl_location: settings.ssl_crl_location.clone(),
        identity: identity(py, settings)?,
        verify_host_name: settings.ssl_endpoint_identification_algorithm != "none",
        protocols: settings
            .ssl_enabled_protocols
            .iter()
            .map(|version| match version.as_str() {
                "TLSv1.2" => TlsVersion::Tls12,
                _ => TlsVersion::Tls13,
            })
            .collect(),
        cipher_suites: settings.ssl_cipher_suites.clone(),
    })
}

fn identity(py: Python<'_>, settings: &ClientSettings) -> PyResult<Option<ClientIdentity>> {
    let one = |first: &str, second: &str| {
        error::config(format!(
            "{first}: cannot be used together with {second}; give one of them"
        ))
    };
    let certificate = match (
        &settings.ssl_certificate_location,
        &settings.ssl_certificate_pem,
    ) {
        (Some(_), Some(_)) => return Err(one("ssl_certificate_pem", "ssl_certificate_location")),
        (Some(path), None) => Some(Pem::File(path.clone())),
        (None, Some(text)) => Some(Pem::Text(Secret::new(text.as_str()))),
        (None, None) => None,
    };
    let key_text = source(py, settings.ssl_key_pem.as_ref())?;
    let key = match (&settings.ssl_key_location, key_text) {
        (Some(_), Some(_)) => return Err(one("ssl_key_pem", "ssl_key_location")),
        (Some(path), None) => Some(Pem::File(path.clone())),
        (None, Some(SecretSource::Value(text))) => Some(Pem::Text(text)),
        (None, Some(SecretSource::File(path))) => Some(Pem::File(path)),
        (None, Some(SecretSource::Call(_))) => {
            return Err(error::config(
                "ssl_key_pem: expected text; functions give passwords only".to_owned(),
            ));
        }
        (None, None) => None,
    };
    let password = source(py, settings.ssl_key_password.as_ref())?;
    let keystore_password = source(py, settings.ssl_keystore_password.as_ref())?;
    match (certificate, &settings.ssl_keystore_location) {
        (Some(_), Some(_)) => Err(one(
            "ssl_keystore_location",
            "ssl_certificate_location or ssl_certificate_pem",
        )),
        (Some(_), None) if keystore_password.is_some() => {
            Err(lonely("ssl_keystore_password", "ssl_keystore_location"))
        }
        (Some(certificate), None) => Ok(Some(ClientIdentity::Pem {
            certificate,
            key,
            password,
        })),
        (None, _) if key.is_some() => Err(lonely("ssl_key_location", "ssl_certificate_location")),
        (None, _) if password.is_some() => {
            Err(lonely("ssl_key_password", "ssl_certificate_location"))
        }
        (None, Some(location)) => Ok(Some(ClientIdentity::Pkcs12 {
            location: location.clone(),
            password: keystore_password,
        })),
        (None, None) if keystore_password.is_some() => {
            Err(lonely("ssl_keystore_password", "ssl_keystore_location"))
        }
        (None, None) => Ok(None),
    }
}

fn sasl(py: Python<'_>, settings: &ClientSettings) -> PyResult<Option<SaslConfig>> {
    let Some(mechanism) = &settings.sasl_mechanism else {
        let given = [
            ("sasl_username", settings.sasl_username.is_some()),
            ("sasl_password", settings.sasl_password.is_some()),
            (
                "sasl_oauthbearer_token_provider",
                settings.sasl_oauthbearer_token_provider.is_some(),
            ),
            (
                "sasl_oauthbearer_extensions",
                !settings.sasl_oauthbearer_extensions.is_empty(),
            ),
        ];
        let first = given.iter().find(|(_, is_given)| *is_given);
        return first.map_or(Ok(None), |(setting, _)| {
            Err(lonely(setting, "sasl_mechanism"))
        });
    };
    let missing = |setting: &str| {
        error::config(format!(
            "{setting}: is missing; sasl_mechanism={mechanism} needs it"
        ))
    };
    let foreign = |setting: &str| {
        error::config(format!(
            "{setting}: has no meaning with sasl_mechanism={mechanism}"
        ))
    };
    // The endpoint has become a provider in `kafkars.config.oidc`.
    let endpoint = [
        (
            "sasl_oauthbearer_client_id",
            settings.sasl_oauthbearer_client_id.is_some(),
        ),
        (
            "sasl_oauthbearer_client_secret",
            settings.sasl_oauthbearer_client_secret.is_some(),
        ),
        (
            "sasl_oauthbearer_scope",
            settings.sasl_oauthbearer_scope.is_some(),
        ),
    ];
    if let Some((setting, _)) = endpoint.iter().find(|(_, is_given)| *is_given)
        && settings.sasl_oauthbearer_token_endpoint_url.is_none()
    {
        return Err(lonely(setting, "sasl_oauthbearer_token_endpoint_url"));
    }
    if mechanism == "OAUTHBEARER" {
        if settings.sasl_username.is_some() {
            return Err(foreign("sasl_username"));
        }
        if settings.sasl_password.is_some() {
            return Err(foreign("sasl_password"));
        }
        let Some(provider) = &settings.sasl_oauthbearer_token_provider else {
            return Err(missing(
                "sasl_oauthbearer_token_provider or sasl_oauthbearer_token_endpoint_url",
            ));
        };
        let function = Function(Arc::new(provider.clone_ref(py)));
        return Ok(Some(SaslConfig::OauthBearer {
            source: TokenSource::Call(Callback(Arc::new(function))),
            extensions: settings.sasl_oauthbearer_extensions.clone(),
        }));
    }
    if settings.sasl_oauthbearer_token_provider.is_some() {
        return Err(foreign("sasl_oauthbearer_token_provider"));
    }
    if !settings.sasl_oauthbearer_extensions.is_empty() {
        return Err(foreign("sasl_oauthbearer_extensions"));
    }
    let username = settings
        .sasl_username
        .clone()
        .filter(|name| !name.is_empty());
    let username = username.ok_or_else(|| missing("sasl_username"))?;
    let password =
        source(py, settings.sasl_password.as_ref())?.ok_or_else(|| missing("sasl_password"))?;
    Ok(Some(match mechanism.as_str() {
        "PLAIN" => SaslConfig::Plain { username, password },
        name => SaslConfig::Scram {
            hash: match name {
                "SCRAM-SHA-256" => ScramHash::Sha256,
                _ => ScramHash::Sha512,
            },
            username,
            password,
        },
    }))
}

fn source(py: Python<'_>, given: Option<&GivenSecret>) -> PyResult<Option<SecretSource>> {
    given.map(|given| given.source(py)).transpose()
}

fn lonely(setting: &str, needed: &str) -> PyErr {
    error::config(format!("{setting}: has no meaning without {needed}"))
}
