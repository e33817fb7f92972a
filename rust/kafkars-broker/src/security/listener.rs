//! Listeners: each node has all of them, each on a port of its own.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;

use super::sasl::SaslMechanism;
use super::sasl::session::SaslSettings;
use super::tls::{self, TlsSettings};
use kafkars_protocol::SecurityProtocol;

use crate::error::EmbeddedBrokerError;

/// Listeners one node may have.
const MAX_LISTENERS: usize = 16;

/// A listener that every node has.
#[derive(Debug, Clone, Default)]
pub struct ListenerConfig {
    /// The listener's name, which no other has. Default empty: the name of its protocol.
    pub name: String,
    /// The protocol of the listener. Default [`SecurityProtocol::Plaintext`].
    pub protocol: SecurityProtocol,
    /// Port of node 1; the next nodes take the ports that follow. Default 0: free ports.
    pub port: u16,
    /// The listener's certificate, and whose certificates it trusts; needed where the protocol has TLS. Default none.
    pub tls: Option<TlsSettings>,
    /// The mechanisms that clients may log in with, where they have to. Default none named: all of
    /// [`SaslMechanism::ALL`].
    pub mechanisms: Vec<SaslMechanism>,
    /// The time that a login is valid (`connections.max.reauth.ms`); a token's own end may come first. Default none:
    /// for ever.
    pub max_reauth: Option<Duration>,
}

/// A listener whose settings have been checked.
#[derive(Debug, Clone)]
pub(crate) struct CheckedListener {
    pub(crate) name: String,
    pub(crate) protocol: SecurityProtocol,
    pub(crate) port: u16,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    /// The settings of logins, none where nobody has to log in.
    pub(crate) sasl: Option<Arc<SaslSettings>>,
}

/// Checks the listeners. Without any there is a plain one on the port of the broker.
///
/// The first listener takes `port` where it names none itself; `nodes` is how many nodes there are.
pub(crate) fn check(
    given: &[ListenerConfig],
    port: u16,
    nodes: u16,
) -> Result<Vec<CheckedListener>, EmbeddedBrokerError> {
    if given.is_empty() {
        return Ok(vec![CheckedListener {
            name: SecurityProtocol::Plaintext.name().to_owned(),
            protocol: SecurityProtocol::Plaintext,
            port,
            tls: None,
            sasl: None,
        }]);
    }
    let count = given.len();
    if count > MAX_LISTENERS {
        return Err(invalid(format!("{count} are more than {MAX_LISTENERS}")));
    }
    let mut listeners: Vec<CheckedListener> = Vec::with_capacity(count);
    for (index, given) in given.iter().enumerate() {
        let port = match given.port {
            0 if index == 0 => port,
            own => own,
        };
        let listener = check_one(given, port, nodes)?;
        if let Some(other) = listeners.iter().find(|other| other.name == listener.name) {
            return Err(invalid(format!("two are named {:?}", other.name)));
        }
        listeners.push(listener);
    }
    Ok(listeners)
}

fn check_one(
    given: &ListenerConfig,
    port: u16,
    nodes: u16,
) -> Result<CheckedListener, EmbeddedBrokerError> {
    let protocol = given.protocol;
    let name = match given.name.as_str() {
        "" => protocol.name(),
        name => name,
    };
    if port != 0 && port.checked_add(nodes.saturating_sub(1)).is_none() {
        return Err(invalid(format!(
            "{name}: {nodes} nodes do not fit above port {port}"
        )));
    }
    let tls = match (&given.tls, protocol.has_tls()) {
        (Some(settings), true) => {
            let made = tls::server_config(settings);
            Some(Arc::new(
                made.map_err(|reason| invalid(format!("{name}: {reason}")))?,
            ))
        }
        (None, true) => {
            let protocol = protocol.name();
            return Err(invalid(format!("{name}: {protocol} needs a certificate")));
        }
        (Some(_), false) => {
            let protocol = protocol.name();
            return Err(invalid(format!("{name}: {protocol} shows no certificate")));
        }
        (None, false) => None,
    };
    let mechanisms = match given.mechanisms.as_slice() {
        [] => SaslMechanism::ALL.to_vec(),
        named => named.to_vec(),
    };
    let sasl = SaslSettings {
        mechanisms,
        max_reauth: given.max_reauth,
    };
    Ok(CheckedListener {
        name: name.to_owned(),
        protocol,
        port,
        tls,
        sasl: protocol.has_sasl().then(|| Arc::new(sasl)),
    })
}

fn invalid(reason: String) -> EmbeddedBrokerError {
    EmbeddedBrokerError::InvalidSetting {
        setting: "listeners",
        reason,
    }
}
