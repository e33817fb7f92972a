//! Settings of TLS and SASL as the engine takes them.

use std::fmt::Display;
use std::path::Path;

use kafkars_client::config::{
    AwsMskIamConfig, ClientIdentity, KerberosConfig, KerberosCredentials, Pem, SaslConfig,
    ScramHash, Secret, SecretSource, SecurityConfig, SecurityProtocol, TlsConfig, TlsVersion,
    TokenSource,
};
use pyo3::prelude::*;

use super::callbacks::{self, GivenName, GivenSecret};
use super::fields::ClientSettings;
use crate::lent::LentObjects;
use crate::{error, gssapi};

/// The checked settings of TLS and SASL. Functions among them are lent to the engine.
pub(super) fn checked(
    settings: &ClientSettings,
    lent: &mut LentObjects,
) -> PyResult<SecurityConfig> {
    let protocol = match settings.security_protocol.as_str() {
        "ssl" => SecurityProtocol::Ssl,
        "sasl_plaintext" => SecurityProtocol::SaslPlaintext,
        "sasl_ssl" => SecurityProtocol::SaslSsl,
        _ => SecurityProtocol::Plaintext,
    };
    Python::attach(|py| {
        Ok(SecurityConfig {
            protocol,
            tls: tls(py, settings, lent)?,
            sasl: sasl(py, settings, lent)?,
        })
    })
}

fn tls(py: Python<'_>, settings: &ClientSettings, lent: &mut LentObjects) -> PyResult<TlsConfig> {
    Ok(TlsConfig {
        ca_location: settings.ssl_ca_location.clone(),
        ca_pem: settings.ssl_ca_pem.clone(),
        crl_location: settings.ssl_crl_location.clone(),
        identity: identity(py, settings, lent)?,
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

fn identity(
    py: Python<'_>,
    settings: &ClientSettings,
    lent: &mut LentObjects,
) -> PyResult<Option<ClientIdentity>> {
    let one = |first: &str, second: &str| {
        error::setting(
            first,
            format_args!("cannot be used together with {second}; give one of them"),
        )
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
    let key_text = source(py, settings.ssl_key_pem.as_ref(), lent)?;
    let key = match (&settings.ssl_key_location, key_text) {
        (Some(_), Some(_)) => return Err(one("ssl_key_pem", "ssl_key_location")),
        (Some(path), None) => Some(Pem::File(path.clone())),
        (None, Some(SecretSource::Value(text))) => Some(Pem::Text(text)),
        (None, Some(SecretSource::File(path))) => Some(Pem::File(path)),
        (None, Some(SecretSource::Call(_))) => {
            return Err(error::setting(
                "ssl_key_pem",
                "expected text; functions give passwords only",
            ));
        }
        (None, None) => None,
    };
    let password = settings.ssl_key_password.as_ref();
    let password = password.map(|given| given.key_password(py, lent));
    let password = password.transpose()?;
    let keystore_password = source(py, settings.ssl_keystore_password.as_ref(), lent)?;
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

const PASSWORDS: &[&str] = &["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
const OAUTHBEARER: &[&str] = &["OAUTHBEARER"];
const GSSAPI: &[&str] = &["GSSAPI"];
/// The mechanisms that the AWS settings are for: a signed request may also be sent as a token.
const AWS: &[&str] = &["AWS_MSK_IAM", "OAUTHBEARER"];

/// Each setting of SASL: whether it is given, and which mechanisms it is for.
fn given(settings: &ClientSettings) -> [(&'static str, bool, &'static [&'static str]); 15] {
    macro_rules! row {
        ($field:ident, $mechanisms:expr) => {
            (stringify!($field), settings.$field.is_some(), $mechanisms)
        };
    }
    [
        row!(sasl_username, PASSWORDS),
        row!(sasl_password, PASSWORDS),
        row!(sasl_oauthbearer_token_provider, OAUTHBEARER),
        (
            "sasl_oauthbearer_extensions",
            !settings.sasl_oauthbearer_extensions.is_empty(),
            OAUTHBEARER,
        ),
        row!(sasl_kerberos_service_name, GSSAPI),
        row!(sasl_kerberos_domain_name, GSSAPI),
        row!(sasl_kerberos_principal, GSSAPI),
        row!(sasl_kerberos_keytab, GSSAPI),
        row!(sasl_kerberos_ccache, GSSAPI),
        row!(sasl_aws_msk_iam_region, AWS),
        row!(sasl_aws_msk_iam_access_key_id, AWS),
        row!(sasl_aws_msk_iam_secret_access_key, AWS),
        row!(sasl_aws_msk_iam_session_token, AWS),
        row!(sasl_aws_msk_iam_profile, AWS),
        row!(sasl_aws_msk_iam_credentials_provider, AWS),
    ]
}

fn sasl(
    py: Python<'_>,
    settings: &ClientSettings,
    lent: &mut LentObjects,
) -> PyResult<Option<SaslConfig>> {
    let given = given(settings);
    let Some(mechanism) = settings.sasl_mechanism.as_deref() else {
        let first = given.iter().find(|(_, is_given, _)| *is_given);
        return first.map_or(Ok(None), |(setting, ..)| {
            Err(lonely(setting, "sasl_mechanism"))
        });
    };
    // `kafkars.config.oidc` has made a provider of the endpoint.
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
        (
            "sasl_oauthbearer_token_endpoint_ca_location",
            settings
                .sasl_oauthbearer_token_endpoint_ca_location
                .is_some(),
        ),
        (
            "sasl_oauthbearer_token_endpoint_ca_pem",
            settings.sasl_oauthbearer_token_endpoint_ca_pem.is_some(),
        ),
    ];
    if let Some((setting, _)) = endpoint.iter().find(|(_, is_given)| *is_given)
        && settings.sasl_oauthbearer_token_endpoint_url.is_none()
    {
        return Err(lonely(setting, "sasl_oauthbearer_token_endpoint_url"));
    }
    let foreign = |(_, is_given, mechanisms): &&(_, bool, &[&str])| {
        *is_given && !mechanisms.contains(&mechanism)
    };
    if let Some((setting, ..)) = given.iter().find(foreign) {
        return Err(error::setting(
            setting,
            format_args!("has no meaning with sasl_mechanism={mechanism}"),
        ));
    }
    Ok(Some(match mechanism {
        "OAUTHBEARER" => SaslConfig::OauthBearer {
            source: token_source(py, settings, lent)?,
            extensions: settings.sasl_oauthbearer_extensions.clone(),
        },
        "GSSAPI" => SaslConfig::Gssapi(kerberos(py, settings)?),
        "AWS_MSK_IAM" => SaslConfig::AwsMskIam(
            aws(py, settings, lent)
                .ok_or_else(|| missing("sasl_aws_msk_iam_credentials_provider", mechanism))?,
        ),
        _ => password(py, settings, mechanism, lent)?,
    }))
}

/// PLAIN and SCRAM.
fn password(
    py: Python<'_>,
    settings: &ClientSettings,
    mechanism: &str,
    lent: &mut LentObjects,
) -> PyResult<SaslConfig> {
    let username = settings.sasl_username.as_ref();
    let username =
        username.filter(|name| !matches!(name, GivenName::Text(text) if text.is_empty()));
    let username = username.ok_or_else(|| missing("sasl_username", mechanism))?;
    let username = username.source(py, lent)?;
    let password = source(py, settings.sasl_password.as_ref(), lent)?;
    let password = password.ok_or_else(|| missing("sasl_password", mechanism))?;
    let hash = match mechanism {
        "SCRAM-SHA-256" => ScramHash::Sha256,
        "SCRAM-SHA-512" => ScramHash::Sha512,
        _ => return Ok(SaslConfig::Plain { username, password }),
    };
    Ok(SaslConfig::Scram {
        hash,
        username,
        password,
    })
}

fn token_source(
    py: Python<'_>,
    settings: &ClientSettings,
    lent: &mut LentObjects,
) -> PyResult<TokenSource> {
    match (
        &settings.sasl_oauthbearer_token_provider,
        aws(py, settings, lent),
    ) {
        (Some(_), Some(_)) => Err(error::setting(
            "sasl_aws_msk_iam_credentials_provider",
            "cannot be used together with sasl_oauthbearer_token_provider; give one of them",
        )),
        (Some(provider), None) => Ok(TokenSource::Call(callbacks::tokens(
            provider.bind(py),
            lent,
        ))),
        (None, Some(config)) => Ok(TokenSource::AwsMskIam(config)),
        (None, None) => Err(missing(
            "sasl_oauthbearer_token_provider or sasl_oauthbearer_token_endpoint_url",
            "OAUTHBEARER",
        )),
    }
}

/// The settings of AWS, of which `kafkars.config.aws` has made a provider.
fn aws(
    py: Python<'_>,
    settings: &ClientSettings,
    lent: &mut LentObjects,
) -> Option<AwsMskIamConfig> {
    let provider = settings.sasl_aws_msk_iam_credentials_provider.as_ref()?;
    Some(AwsMskIamConfig {
        region: settings.sasl_aws_msk_iam_region.clone(),
        credentials: callbacks::aws_credentials(provider.bind(py), lent),
    })
}

fn kerberos(py: Python<'_>, settings: &ClientSettings) -> PyResult<KerberosConfig> {
    let service_name = settings.sasl_kerberos_service_name.as_deref();
    let (keytab, ccache) = (
        &settings.sasl_kerberos_keytab,
        &settings.sasl_kerberos_ccache,
    );
    if keytab.is_some() && ccache.is_some() {
        return Err(error::setting(
            "sasl_kerberos_ccache",
            "cannot be used together with sasl_kerberos_keytab; give one of them",
        ));
    }
    // Checked now, because a wrong path is a wrong setting, and a missing library has to be installed. Detached, so
    // that only the caller waits.
    let path = keytab.as_deref();
    let library = py.detach(|| {
        path.map_or(Ok(()), check_keytab)?;
        gssapi::library().map_err(|problem| format!("sasl_mechanism: GSSAPI: {problem}"))
    });
    let library = library.map_err(error::config)?;
    Ok(KerberosConfig {
        library,
        service_name: service_name.unwrap_or("kafka").to_owned(),
        domain_name: settings.sasl_kerberos_domain_name.clone(),
        credentials: KerberosCredentials {
            principal: settings.sasl_kerberos_principal.clone(),
            keytab: keytab.clone(),
            ccache: ccache.clone(),
        },
    })
}

/// Checks that a keytab is a file that can be read: reading a pipe might never end.
fn check_keytab(path: &Path) -> Result<(), String> {
    let wrong =
        |problem: &dyn Display| format!("sasl_kerberos_keytab: {}: {problem}", path.display());
    let metadata = std::fs::metadata(path).map_err(|problem| wrong(&problem))?;
    if !metadata.is_file() {
        return Err(wrong(&"is no regular file"));
    }
    std::fs::File::open(path).map_err(|problem| wrong(&problem))?;
    Ok(())
}

fn source(
    py: Python<'_>,
    given: Option<&GivenSecret>,
    lent: &mut LentObjects,
) -> PyResult<Option<SecretSource>> {
    given.map(|given| given.source(py, lent)).transpose()
}

fn missing(setting: &str, mechanism: &str) -> PyErr {
    error::setting(
        setting,
        format_args!("is missing; sasl_mechanism={mechanism} needs it"),
    )
}

fn lonely(setting: &str, needed: &str) -> PyErr {
    error::setting(setting, format_args!("has no meaning without {needed}"))
}
