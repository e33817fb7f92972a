//! Logins that hold for a while only (KIP-368): a connection says anew who it is before the broker's patience ends.

use std::pin::Pin;
use std::time::{Duration, Instant};

use kafkars_core::config::SaslConfig;

use super::connection::WeakConnection;
use super::driver::Driver;
use super::sasl;
use crate::error::AttemptError;
use crate::{after, now};

/// The part of a login's time after which it is renewed, in percent. The rest is for requests on their way.
const RENEWED_AFTER: u32 = 80;

/// However short a time a broker gives: it is not kept busy with logins, nor is a token endpoint.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Drives a connection to its end, and renews its login meanwhile. `lifetime` is how long the first one holds; zero stands
/// for ever. `limit` is how long a renewal may take once the broker gets to it.
pub(super) async fn drive(
    driver: Pin<Box<Driver>>,
    connection: WeakConnection,
    config: SaslConfig,
    mut lifetime: Duration,
    limit: Duration,
) {
    let renewals = async {
        while !lifetime.is_zero() {
            tokio::time::sleep(pause(lifetime)).await;
            let Some(connection) = connection.upgrade() else {
                break; // its users are gone, and the driver ends
            };
            // The broker takes no other request in between, and answers those before it first.
            connection.hold();
            let deadline = after(connection.latest_expiry().unwrap_or_else(now), limit);
            match renew(&connection, &config, deadline).await {
                Ok(next) => {
                    connection.release();
                    lifetime = next;
                }
                Err(cause) => {
                    tracing::warn!(target: "kafkars::net", broker = %connection.address(), %cause, "the login was not renewed");
                    // Connecting again tells the cause to whoever needs the broker.
                    let text = format!("the login was not renewed: {cause}");
                    connection.close(&AttemptError::Disconnected(text.into()));
                    break;
                }
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = driver => {}
        () = renewals => {}
    }
}

async fn renew(
    connection: &super::Connection,
    config: &SaslConfig,
    deadline: Instant,
) -> Result<Duration, String> {
    let renewed = sasl::authenticate(connection, config, deadline);
    match tokio::time::timeout_at(deadline.into(), renewed).await {
        Ok(renewed) => renewed.map_err(|error| error.to_string()),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

fn pause(lifetime: Duration) -> Duration {
    (lifetime / 100 * RENEWED_AFTER).max(LEAST_PAUSE)
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
