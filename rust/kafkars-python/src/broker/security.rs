//! Listeners, users and access control of the embedded broker, and certificates for tests, as `kafkars.testing` passes
//! them.

use std::time::Duration;

use kafkars_broker::{
    Acl, AclOperation, AclSettings, ClientAuth, ListenerConfig, PatternType, Permission,
    ResourceType, SaslMechanism, SecurityProtocol, TlsSettings, User,
};
use kafkars_certificates::{Authority, KeyKind, MadeCertificate, NewCertificate};
use pyo3::prelude::*;

use crate::error;
use crate::secret_text::SecretText;

/// A listener by its settings.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ListenerSettings {
    name: String,
    protocol: String,
    port: i64,
    certificate_pem: Option<SecretText>,
    key_pem: Option<SecretText>,
    client_auth: String,
    client_ca_pem: Option<SecretText>,
    mechanisms: Vec<String>,
    max_reauth_ms: Option<u64>,
}

impl ListenerSettings {
    pub(super) fn into_config(self) -> PyResult<ListenerConfig> {
        let Self { name, .. } = &self;
        let wrong = |what: &str, given: &str, known: &str| {
            error::config(format!(
                "listener {name:?}: {what} {given:?} is none of {known}"
            ))
        };
        let mut protocols = SecurityProtocol::ALL.into_iter();
        let protocol = protocols.find(|known| known.name().eq_ignore_ascii_case(&self.protocol));
        let protocol = protocol.ok_or_else(|| {
            let known = "PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL";
            wrong("security protocol", &self.protocol, known)
        })?;
        let client_auth = match self.client_auth.as_str() {
            "none" => ClientAuth::None,
            "requested" => ClientAuth::Requested,
            "required" => ClientAuth::Required,
            other => {
                let known = "\"none\", \"requested\" and \"required\"";
                return Err(wrong("client_auth", other, known));
            }
        };
        let mechanism = |given: &String| {
            let mut all = SaslMechanism::ALL.into_iter();
            let found = all.find(|known| known.name().eq_ignore_ascii_case(given));
            let known = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER";
            found.ok_or_else(|| wrong("SASL mechanism", given, known))
        };
        let mechanisms = self.mechanisms.iter().map(mechanism);
        let mechanisms = mechanisms.collect::<PyResult<Vec<_>>>()?;
        let Ok(port) = u16::try_from(self.port) else {
            let message = format!("listener {name:?}: {} is not a port: 0 to 65535", self.port);
            return Err(error::config(message));
        };
        let tls = self.certificate_pem.map(|certificate| TlsSettings {
            certificate_pem: certificate.0,
            key_pem: self.key_pem.map_or_else(String::new, |key| key.0),
            key_password: None,
            client_auth,
            client_ca_pem: self.client_ca_pem.map(|pem| pem.0),
        });
        Ok(ListenerConfig {
            name: self.name,
            protocol,
            port,
            tls,
            mechanisms,
            max_reauth: self.max_reauth_ms.map(Duration::from_millis),
        })
    }
}

/// A user as Python gives it.
pub(super) fn user((name, password): (String, SecretText)) -> User {
    User {
        name,
        password: password.0,
    }
}

/// Super users, whether everyone may use what no rule is about, and the rules.
pub(super) type AclArguments = (Vec<String>, bool, Vec<RuleArguments>);

/// A rule: principal, operation, resource type, resource name, pattern type, permission, host.
pub(super) type RuleArguments = (String, String, String, String, String, String, String);

pub(super) fn acls(arguments: AclArguments) -> PyResult<AclSettings> {
    let (super_users, allow_everyone_if_no_acl_found, rules) = arguments;
    Ok(AclSettings {
        super_users,
        allow_everyone_if_no_acl_found,
        rules: rules.into_iter().map(rule).collect::<PyResult<_>>()?,
    })
}

pub(super) fn rule(arguments: RuleArguments) -> PyResult<Acl> {
    let (principal, operation, kind, resource_name, pattern, permission, host) = arguments;
    fn known<T>(what: &str, given: &str, named: fn(&str) -> Option<T>) -> PyResult<T> {
        let unknown = || {
            error::setting(
                "acls",
                format_args!("{given:?} is not Kafka's name of {what}"),
            )
        };
        named(given).ok_or_else(unknown)
    }
    Ok(Acl {
        resource_type: known("a resource type", &kind, ResourceType::named)?,
        resource_name,
        pattern_type: known("a pattern type", &pattern, PatternType::named)?,
        principal,
        host,
        operation: known("an operation", &operation, AclOperation::named)?,
        permission: known("a permission", &permission, Permission::named)?,
    })
}

pub(super) fn rule_arguments(rule: Acl) -> RuleArguments {
    (
        rule.principal,
        rule.operation.name().to_owned(),
        rule.resource_type.name().to_owned(),
        rule.resource_name,
        rule.pattern_type.name().to_owned(),
        rule.permission.name().to_owned(),
        rule.host,
    )
}

/// An authority for tests; `kafkars.testing.Certificates` is what to use.
#[pyclass(name = "CertificateAuthority", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyCertificateAuthority(Authority);

#[pymethods]
impl PyCertificateAuthority {
    #[new]
    fn new(py: Python<'_>, name: &str, key: &str) -> PyResult<Self> {
        let key = key_kind(key)?;
        let made = py.detach(|| Authority::new(name, key));
        made.map(Self).map_err(unmade)
    }

    /// Its own certificate.
    #[getter]
    fn certificate_pem(&self) -> String {
        self.0.certificate_pem()
    }

    /// Signs a certificate.
    fn issue(
        &self,
        py: Python<'_>,
        name: String,
        organization: Option<String>,
        hosts: Vec<String>,
        key: &str,
        lifetime_seconds: i64,
    ) -> PyResult<PyMadeCertificate> {
        let wanted = NewCertificate {
            name,
            organization,
            hosts,
            key: key_kind(key)?,
            lifetime_seconds,
        };
        let made = py.detach(|| self.0.issue(&wanted));
        made.map(PyMadeCertificate).map_err(unmade)
    }

    /// Signs a list of revoked certificates.
    fn revoke(&self, revoked: Vec<PyRef<'_, PyMadeCertificate>>) -> PyResult<String> {
        let revoked: Vec<&MadeCertificate> = revoked.iter().map(|made| &made.0).collect();
        self.0.revoke(&revoked).map_err(unmade)
    }
}

/// A certificate and its key, as PEM.
#[pyclass(name = "MadeCertificate", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyMadeCertificate(MadeCertificate);

#[pymethods]
impl PyMadeCertificate {
    #[getter]
    fn certificate_pem(&self) -> &str {
        &self.0.certificate_pem
    }

    #[getter]
    fn key_pem(&self) -> &str {
        &self.0.key_pem
    }
}

fn key_kind(name: &str) -> PyResult<KeyKind> {
    match name {
        "ec" => Ok(KeyKind::Ec),
        "rsa" => Ok(KeyKind::Rsa),
        other => Err(error::argument(format!(
            "key: {other:?} is neither \"ec\" nor \"rsa\""
        ))),
    }
}

fn unmade(failure: kafkars_certificates::MakeError) -> PyErr {
    error::argument(failure.to_string())
}
