//! Tiny brokers on real sockets, each with a few scripted responses.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::config::{Checked, ClientConfig};
use kafkars_client::{Client, ClientError};
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::find_coordinator::{
    FindCoordinatorRequest, FindCoordinatorResponse,
};
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataResponse, MetadataResponseBroker, MetadataResponsePartition,
    MetadataResponseTopic,
};
use kafkars_protocol::{ApiKey, ErrorCode, Reader, Request, Uuid, decode_request_header};
use kafkars_testkit::pipe::{ScriptedPeer, every_version};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Time limit of each step of a test.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// Listens on a free port and runs `script` for every connection.
pub(crate) async fn listen<S, F>(script: S) -> SocketAddr
where
    S: Fn(ScriptedPeer<TcpStream>) -> F + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(script(ScriptedPeer::new(stream)));
        }
    });
    address
}

/// A port on which nothing listens.
pub(crate) async fn closed_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("an address")
}

/// The configuration of a client of these servers, with short pauses.
pub(crate) fn config(servers: &[String]) -> ClientConfig {
    ClientConfig {
        bootstrap_servers: servers.to_vec(),
        retry_backoff: Duration::from_millis(10),
        reconnect_backoff: Duration::from_millis(10),
        ..ClientConfig::default()
    }
}

pub(crate) fn checked(config: ClientConfig) -> Checked<ClientConfig> {
    config.check().expect("valid settings")
}

pub(crate) fn client(servers: &[String]) -> Client {
    Client::new(checked(config(servers)), tokio::runtime::Handle::current())
}

pub(crate) fn soon(milliseconds: u64) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds)
}

/// The bootstrap addresses of an error, each with its cause as text.
pub(crate) fn causes(error: ClientError) -> Vec<(String, String)> {
    let causes = error
        .bootstrap_causes()
        .unwrap_or_else(|| panic!("not about bootstrap: {error}"));
    causes
        .iter()
        .map(|(address, cause)| (address.to_string(), cause.to_string()))
        .collect()
}

/// A broker that answers ApiVersions, Metadata and FindCoordinator.
pub(crate) struct TinyBroker {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<TinyState>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
pub(crate) struct TinyState {
    pub(crate) metadata: Mutex<MetadataResponse>,
    /// Metadata requests so far.
    pub(crate) asked: Mutex<Vec<MetadataRequest>>,
    pub(crate) connections: AtomicUsize,
    pub(crate) open: AtomicUsize,
    /// How many FindCoordinator requests to hang up on.
    pub(crate) refusals: AtomicUsize,
    /// True for a broker that supports no version of FindCoordinator.
    pub(crate) lacks_coordinators: AtomicBool,
}

impl TinyBroker {
    /// Starts a cluster of one broker, with node id 1 and without topics.
    pub(crate) async fn start() -> Self {
        let broker = Self::silent_about_itself().await;
        broker.advertise(&[(1, broker.address)]);
        broker
    }

    /// Starts a broker whose metadata is still to be set.
    pub(crate) async fn silent_about_itself() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(TinyState::default());
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                connections.spawn(async move {
                    state.connections.fetch_add(1, Ordering::SeqCst);
                    let _open = Open::new(&state);
                    serve(&state, ScriptedPeer::new(stream)).await;
                });
            }
        });
        Self {
            address,
            state,
            task,
        }
    }

    pub(crate) fn advertise(&self, brokers: &[(i32, SocketAddr)]) {
        let broker = |(node_id, address): &(i32, SocketAddr)| MetadataResponseBroker {
            node_id: *node_id,
            host: address.ip().to_string(),
            port: address.port().into(),
            ..MetadataResponseBroker::default()
        };
        self.state.metadata.lock().brokers = brokers.iter().map(broker).collect();
    }

    pub(crate) fn set_topic(&self, name: &str, error: ErrorCode, leaders: &[(i32, i32)]) {
        let partition =
            |(index, (leader_id, leader_epoch)): (usize, &(i32, i32))| MetadataResponsePartition {
                partition_index: index as i32,
                leader_id: *leader_id,
                leader_epoch: *leader_epoch,
                ..MetadataResponsePartition::default()
            };
        let topic = MetadataResponseTopic {
            error_code: error.code(),
            name: Some(name.to_owned()),
            topic_id: Uuid([7; 16]),
            partitions: leaders.iter().enumerate().map(partition).collect(),
            ..MetadataResponseTopic::default()
        };
        let mut metadata = self.state.metadata.lock();
        metadata
            .topics
            .retain(|known| known.name.as_deref() != Some(name));
        metadata.topics.push(topic);
    }

    pub(crate) fn server(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn open(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }

    /// Stops listening and hangs up on everybody.
    pub(crate) async fn stop(&mut self) {
        self.task.abort();
        drop((&mut self.task).await);
    }

    /// Waits until no connection is open.
    pub(crate) async fn abandoned(&self) {
        until(|| self.open() == 0).await;
    }
}

struct Open<'a>(&'a TinyState);

impl<'a> Open<'a> {
    fn new(state: &'a TinyState) -> Self {
        state.open.fetch_add(1, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let polling = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, polling)
        .await
        .expect("the condition holds in time");
}

async fn serve(state: &TinyState, mut peer: ScriptedPeer<TcpStream>) {
    while let Ok(Some(frame)) = peer.frame().await {
        let mut reader = Reader::new(frame);
        let header = decode_request_header(&mut reader).expect("a request header");
        match header.api_key {
            ApiKey::ApiVersions => {
                decode::<ApiVersionsRequest>(&mut reader, header.api_version);
                let mut spoken = every_version();
                if state.lacks_coordinators.load(Ordering::SeqCst) {
                    let lacking = ApiKey::FindCoordinator.as_i16();
                    spoken.api_keys.retain(|api| api.api_key != lacking);
                }
                peer.answer(&header, &spoken).await;
            }
            ApiKey::Metadata => {
                let request = decode::<MetadataRequest>(&mut reader, header.api_version);
                let answer = answer(state, &request);
                state.asked.lock().push(request);
                peer.answer(&header, &answer).await;
            }
            ApiKey::FindCoordinator => {
                let left = state.refusals.load(Ordering::SeqCst);
                if left > 0 {
                    state.refusals.store(left - 1, Ordering::SeqCst);
                    return;
                }
                decode::<FindCoordinatorRequest>(&mut reader, header.api_version);
                peer.answer(&header, &FindCoordinatorResponse::default())
                    .await;
            }
            other => panic!("unexpected request {other:?}"),
        }
    }
}

fn decode<R: Request>(reader: &mut Reader, version: i16) -> R {
    R::decode(reader, version).expect("a request")
}

/// The metadata of all topics, or of the named ones; topics that were not set do not exist.
fn answer(state: &TinyState, request: &MetadataRequest) -> MetadataResponse {
    let mut answer = state.metadata.lock().clone();
    let Some(named) = &request.topics else {
        return answer;
    };
    let names: Vec<&str> = named
        .iter()
        .filter_map(|topic| topic.name.as_deref())
        .collect();
    answer.topics.retain(|topic| {
        topic
            .name
            .as_deref()
            .is_some_and(|name| names.contains(&name))
    });
    for name in names {
        if !answer
            .topics
            .iter()
            .any(|topic| topic.name.as_deref() == Some(name))
        {
            answer.topics.push(MetadataResponseTopic {
                error_code: ErrorCode::UnknownTopicOrPartition.code(),
                name: Some(name.to_owned()),
                ..MetadataResponseTopic::default()
            });
        }
    }
    answer
}
