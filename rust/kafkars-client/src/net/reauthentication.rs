//! Renewal of logins that expire (KIP-368): a connection authenticates again before the broker would close it.
//!
//! Credentials are fetched first, while requests go on under the old login, with retries as long as that is valid. Only
//! the SASL exchange itself holds requests back.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;

use super::connection::WeakConnection;
use super::connection_task::ConnectionTask;
use super::sasl::{Authenticator, Login};
use crate::error::AttemptError;
use crate::{after, now};

/// The part of a login's lifetime, in percent, after which it is renewed. The rest is for a retry, and for requests on
/// their way.
const RENEWED_AFTER: u32 = 80;

/// The least time between two logins, however short a lifetime a broker gives: neither it nor a token endpoint is kept
/// busy.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// The settings for renewing the logins of one connection.
pub(super) struct Renewal {
    /// What log lines call the client.
    pub(super) client: Arc<str>,
    /// The broker's host.
    pub(super) host: Arc<str>,
    /// Time limit of a renewal from when the broker can answer it.
    pub(super) limit: Duration,
    /// Pauses between tries to fetch credentials.
    pub(super) backoff: Backoff,
}

impl Renewal {
    /// Drives a connection to its end, and renews its login meanwhile. `lifetime` is that of the first login; zero
    /// means for ever.
    pub(super) async fn drive(
        self,
        task: Pin<Box<ConnectionTask>>,
        connection: WeakConnection,
        authenticator: Arc<Authenticator>,
        lifetime: Duration,
    ) {
        let renewals = async {
            self.renew(&connection, &authenticator, lifetime).await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            () = task => {}
            () = renewals => {}
        }
    }

    /// Renews the login until it no longer expires, or the connection has ended.
    async fn renew(
        &self,
        connection: &WeakConnection,
        authenticator: &Authenticator,
        mut lifetime: Duration,
    ) {
        while !lifetime.is_zero() {
            let ends = after(now(), lifetime);
            tokio::time::sleep(pause(lifetime)).await;
            let renewed = match self.prepare(connection, authenticator, ends).await {
                Ok(login) => self.log_in(connection, authenticator, login).await,
                Err(cause) => Err(cause),
            };
            match renewed {
                Ok(Some(next)) => lifetime = next,
                Ok(None) => return,
                Err(cause) => {
                    let Some(connection) = connection.upgrade() else {
                        return;
                    };
                    tracing::warn!(target: "kafkars::net", client = %self.client, broker = %connection.address(), %cause, "the login was not renewed; connects and logs in again");
                    // The next try to connect reports the cause to whoever needs the broker.
                    let text = format!("the login was not renewed: {cause}");
                    connection.close(&AttemptError::Disconnected(text.into()));
                    return;
                }
            }
        }
    }

    /// Fetches credentials while the old login is valid. Returns `None` if nobody uses the connection any more.
    async fn prepare(
        &self,
        connection: &WeakConnection,
        authenticator: &Authenticator,
        ends: Instant,
    ) -> Result<Option<Login>, String> {
        // Even if the broker gives very little time, one try is made.
        let ends = ends.max(after(now(), self.limit.min(LEAST_PAUSE)));
        let mut failures = 0;
        loop {
            let prepared = authenticator.prepare(&self.host);
            let cause = match tokio::time::timeout_at(ends.into(), prepared).await {
                Ok(Ok(login)) => return Ok(Some(login)),
                Ok(Err(failure)) => failure.to_string(),
                Err(_) => {
                    let mechanism = authenticator.mechanism();
                    return Err(format!(
                        "{mechanism}: no credentials were given before the old login ended"
                    ));
                }
            };
            let Some(address) = connection.upgrade().map(|each| Arc::clone(each.address())) else {
                return Ok(None);
            };
            failures += 1;
            tracing::debug!(target: "kafkars::net", client = %self.client, broker = %address, failures, %cause, "the login cannot be renewed yet");
            let again = after(
                now(),
                self.backoff.delay(failures, spread(&address, failures)),
            );
            if again >= ends {
                return Err(cause);
            }
            tokio::time::sleep_until(again.into()).await;
        }
    }

    /// Runs the SASL exchange. Returns the lifetime of the new login; `None` if nobody uses the connection any more.
    async fn log_in(
        &self,
        connection: &WeakConnection,
        authenticator: &Authenticator,
        login: Option<Login>,
    ) -> Result<Option<Duration>, String> {
        let (Some(login), Some(connection)) = (login, connection.upgrade()) else {
            return Ok(None);
        };
        // The broker accepts no other request in between, and answers earlier ones first.
        connection.hold();
        let deadline = after(connection.latest_expiry().unwrap_or_else(now), self.limit);
        let renewed = authenticator.authenticate(&connection, login, deadline);
        let lifetime = match tokio::time::timeout_at(deadline.into(), renewed).await {
            Ok(renewed) => renewed.map_err(|error| error.to_string())?,
            Err(_) => return Err("no answer in time".to_owned()),
        };
        connection.release();
        Ok(Some(lifetime))
    }
}

fn pause(lifetime: Duration) -> Duration {
    (lifetime / 100 * RENEWED_AFTER).max(LEAST_PAUSE)
}

/// A seed for random pauses, so that connections to several brokers do not ask at the same moment.
fn spread(address: &str, failures: u32) -> u64 {
    let seed = address.bytes().fold(u64::from(failures), |seed, byte| {
        seed.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_lifetime_makes_no_stream_of_logins() {
        assert_eq!(pause(Duration::from_secs(100)), Duration::from_secs(80));
        assert_eq!(pause(Duration::from_millis(1)), LEAST_PAUSE);
    }
}
