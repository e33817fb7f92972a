//! A broker on a real socket that has one topic, counts its requests and refuses those that the test names.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::fetch::{
    FetchRequest, FetchResponse, FetchableTopicResponse, PartitionData,
};
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopicResponse,
};
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataResponse, MetadataResponseBroker, MetadataResponsePartition,
    MetadataResponseTopic,
};
use kafkars_protocol::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
};
use kafkars_protocol::{
    ApiKey, ErrorCode, Message, Reader, Request, RequestHeader, Uuid, decode_request_header,
};
use kafkars_records::{BatchBuilder, Compression, ProducerFields};
use kafkars_testkit::pipe::{ScriptedPeer, every_version, frame_of};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) const TOPIC: &str = "t";
const PARTITIONS: i32 = 2;
const TOPIC_ID: Uuid = Uuid([7; 16]);

/// How a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// With this code for every partition (in Metadata: the topic) that the request names.
    Partition(i16),
    /// With this top-level code.
    Whole(i16),
    /// The connection is closed before the request has an effect.
    CutBefore,
    /// The connection is closed in the middle of the response.
    CutAfter,
    /// The response comes at once and names no partition.
    Empty,
    /// The records are a batch whose last offset is below its first.
    Backwards,
    /// The response comes at once, has no records, and names this node as the preferred read replica.
    Elsewhere(i32),
}

/// Which requests are refused, how, and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) api: ApiKey,
    pub(crate) refusal: Refusal,
    pub(crate) times: usize,
}

/// The records of the broker's partitions.
struct Log {
    exists: bool,
    leader_epoch: i32,
    // The leader epoch of each record of each partition; the value of a record is its partition and offset.
    records: [Vec<i32>; PARTITIONS as usize],
}

/// The refusing broker.
pub(crate) struct Broker {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

struct State {
    address: SocketAddr,
    without: Option<ApiKey>,
    log: Mutex<Log>,
    // Changes whenever the log does, for fetches that wait.
    changed: watch::Sender<u64>,
    fault: Mutex<Option<Fault>>,
    asked: Mutex<HashMap<ApiKey, usize>>,
    connections: AtomicUsize,
    // How many fetches are at the broker now.
    fetches: AtomicUsize,
    // How long the fetches were allowed to wait that came while another one was at the broker.
    waits_beside: Mutex<Vec<Duration>>,
    // True if new connections are accepted but get no response.
    is_mute: AtomicBool,
}

async fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

impl Broker {
    /// Starts a broker with ten records in each partition, of leader epoch 1, and with all APIs but `without`.
    pub(crate) async fn start(without: Option<ApiKey>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            address,
            without,
            log: Mutex::new(Log {
                exists: true,
                leader_epoch: 1,
                records: std::array::from_fn(|_| vec![1; 10]),
            }),
            changed: watch::Sender::new(0),
            fault: Mutex::new(None),
            asked: Mutex::default(),
            connections: AtomicUsize::new(0),
            fetches: AtomicUsize::new(0),
            waits_beside: Mutex::default(),
            is_mute: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let state = Arc::clone(&shared);
                connections.spawn(async move { state.serve(ScriptedPeer::new(stream)).await });
            }
        });
        Self {
            address,
            state,
            task,
        }
    }

    /// Refuses these requests from now on.
    pub(crate) fn refuse(&self, fault: Fault) {
        *self.state.fault.lock() = Some(fault);
        self.state.asked.lock().clear();
    }

    /// Refuses nothing from now on. Returns how many requests of each API came since [`Broker::refuse`].
    pub(crate) fn relent(&self) -> HashMap<ApiKey, usize> {
        *self.state.fault.lock() = None;
        std::mem::take(&mut *self.state.asked.lock())
    }

    /// Waits until all refusals that were ordered have been made.
    pub(crate) async fn used_up(&self) {
        wait_until(|| self.state.fault.lock().is_none_or(|fault| fault.times == 0)).await;
    }

    /// Waits until a request of this kind has come since the refusals were ordered.
    pub(crate) async fn was_asked(&self, api: ApiKey) {
        wait_until(|| self.state.asked.lock().contains_key(&api)).await;
    }

    /// Elects a new leader: appends five records to each partition, under a newer leader epoch.
    pub(crate) fn elect(&self) {
        self.state.log.lock().leader_epoch += 1;
        self.append();
    }

    /// Appends five records to each partition.
    pub(crate) fn append(&self) {
        let mut log = self.state.log.lock();
        let epoch = log.leader_epoch;
        for records in &mut log.records {
            records.extend([epoch; 5]);
        }
        drop(log);
        self.state.changed.send_modify(|count| *count += 1);
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// How long the fetches were allowed to wait that came while another one was at the broker, since the last call of
    /// this.
    pub(crate) fn waits_beside(&self) -> Vec<Duration> {
        std::mem::take(&mut *self.state.waits_beside.lock())
    }

    /// Accepts new connections from now on without a response.
    pub(crate) fn greet_nobody(&self) {
        self.state.is_mute.store(true, Ordering::Relaxed);
    }

    /// Sets whether the topic exists.
    pub(crate) fn set_exists(&self, exists: bool) {
        self.state.log.lock().exists = exists;
        self.state.changed.send_modify(|count| *count += 1);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl State {
    async fn serve(&self, mut peer: ScriptedPeer<TcpStream>) {
        while let Ok(Some(frame)) = peer.frame().await {
            let mut reader = Reader::new(frame);
            let header = decode_request_header(&mut reader).expect("a request header");
            let refusal = self.refusal(header.api_key);
            if refusal == Some(Refusal::CutBefore) {
                return;
            }
            let answer = match header.api_key {
                ApiKey::ApiVersions if self.is_mute.load(Ordering::Relaxed) => {
                    std::future::pending().await
                }
                ApiKey::ApiVersions => {
                    decode::<ApiVersionsRequest>(&mut reader, &header);
                    let mut versions = every_version();
                    let without = self.without.map(ApiKey::as_i16);
                    versions.api_keys.retain(|api| Some(api.api_key) != without);
                    whole(&header, &versions)
                }
                ApiKey::Metadata => {
                    decode::<MetadataRequest>(&mut reader, &header);
                    whole(&header, &self.metadata(header.api_version, refusal))
                }
                ApiKey::ListOffsets => {
                    let request = decode(&mut reader, &header);
                    whole(&header, &self.list_offsets(request, refusal))
                }
                ApiKey::OffsetForLeaderEpoch => {
                    let request = decode(&mut reader, &header);
                    whole(&header, &self.epochs(request, refusal))
                }
                ApiKey::Fetch => {
                    let request = decode(&mut reader, &header);
                    whole(&header, &self.fetch(request, refusal).await)
                }
                other => panic!("unexpected request {other:?}"),
            };
            if refusal == Some(Refusal::CutAfter) {
                peer.raw(&answer[..answer.len() / 2]).await;
                return;
            }
            peer.raw(&answer).await;
        }
    }

    fn refusal(&self, api: ApiKey) -> Option<Refusal> {
        *self.asked.lock().entry(api).or_default() += 1;
        let mut fault = self.fault.lock();
        let fault = fault.as_mut().filter(|fault| fault.api == api)?;
        fault.times = fault.times.checked_sub(1)?;
        Some(fault.refusal)
    }

    fn metadata(&self, version: i16, refusal: Option<Refusal>) -> MetadataResponse {
        let log = self.log.lock();
        let partition = |partition_index| MetadataResponsePartition {
            partition_index,
            leader_id: 1,
            leader_epoch: log.leader_epoch,
            ..MetadataResponsePartition::default()
        };
        let missing = ErrorCode::UnknownTopicOrPartition.code();
        let error_code = match refusal {
            Some(Refusal::Partition(code)) => code,
            _ if log.exists => 0,
            _ => missing,
        };
        let is_known = error_code == 0;
        MetadataResponse {
            brokers: vec![MetadataResponseBroker {
                node_id: 1,
                host: self.address.ip().to_string(),
                port: self.address.port().into(),
                ..MetadataResponseBroker::default()
            }],
            topics: vec![MetadataResponseTopic {
                error_code,
                name: Some(TOPIC.to_owned()),
                topic_id: if is_known { TOPIC_ID } else { Uuid::default() },
                partitions: (0..PARTITIONS)
                    .filter(|_| is_known)
                    .map(partition)
                    .collect(),
                ..MetadataResponseTopic::default()
            }],
            error_code: match refusal {
                Some(Refusal::Whole(code)) if version >= 13 => code,
                _ => 0,
            },
            ..MetadataResponse::default()
        }
    }

    fn list_offsets(
        &self,
        request: ListOffsetsRequest,
        refusal: Option<Refusal>,
    ) -> ListOffsetsResponse {
        let log = self.log.lock();
        let mut response = ListOffsetsResponse::default();
        for topic in request.topics {
            let mut answers = Vec::new();
            for asked in topic.partitions {
                let records = &log.records[asked.partition_index as usize];
                let end = records.len() as i64;
                // The timestamp of a record is its offset.
                let offset = match asked.timestamp {
                    -2 => 0,
                    -1 => end,
                    timestamp if timestamp < end => timestamp,
                    _ => -1,
                };
                answers.push(ListOffsetsPartitionResponse {
                    partition_index: asked.partition_index,
                    error_code: code_of(refusal),
                    offset,
                    timestamp: offset,
                    leader_epoch: 1,
                });
            }
            if refusal != Some(Refusal::Empty) {
                response.topics.push(ListOffsetsTopicResponse {
                    name: topic.name,
                    partitions: answers,
                });
            }
        }
        response
    }

    fn epochs(
        &self,
        request: OffsetForLeaderEpochRequest,
        refusal: Option<Refusal>,
    ) -> OffsetForLeaderEpochResponse {
        let log = self.log.lock();
        let mut response = OffsetForLeaderEpochResponse::default();
        for topic in request.topics {
            let answer = |partition: i32, epoch: i32| {
                let records = &log.records[partition as usize];
                let end = records.iter().filter(|of| **of <= epoch).count();
                EpochEndOffset {
                    error_code: code_of(refusal),
                    partition,
                    leader_epoch: epoch,
                    end_offset: end as i64,
                }
            };
            let partitions = topic
                .partitions
                .iter()
                .map(|asked| answer(asked.partition, asked.leader_epoch))
                .collect();
            response.topics.push(OffsetForLeaderTopicResult {
                topic: topic.topic,
                partitions,
            });
        }
        response
    }

    async fn fetch(&self, request: FetchRequest, refusal: Option<Refusal>) -> FetchResponse {
        match refusal {
            Some(Refusal::Whole(code)) => {
                return FetchResponse {
                    error_code: code,
                    ..FetchResponse::default()
                };
            }
            Some(Refusal::Empty) => return FetchResponse::default(),
            _ => {}
        }
        let wait = Duration::from_millis(request.max_wait_ms.max(0) as u64);
        if self.fetches.fetch_add(1, Ordering::Relaxed) > 0 {
            self.waits_beside.lock().push(wait);
        }
        let mut changed = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + wait;
        let response = loop {
            let (response, has_changes) = self.read(&request, refusal);
            if has_changes || tokio::time::Instant::now() >= deadline {
                break response;
            }
            drop(tokio::time::timeout_at(deadline, changed.changed()).await);
        };
        self.fetches.fetch_sub(1, Ordering::Relaxed);
        response
    }

    /// Reads what the partitions hold now. Returns true if that is to be answered at once.
    fn read(&self, request: &FetchRequest, refusal: Option<Refusal>) -> (FetchResponse, bool) {
        let log = self.log.lock();
        let mut has_changes = false;
        let mut response = FetchResponse::default();
        for topic in &request.topics {
            let mut partitions = Vec::new();
            for asked in &topic.partitions {
                let records = &log.records[asked.partition as usize];
                let end = records.len() as i64;
                let code = match refusal {
                    _ if code_of(refusal) != 0 => code_of(refusal),
                    _ if !log.exists => ErrorCode::UnknownTopicId.code(),
                    _ if asked.current_leader_epoch < log.leader_epoch => {
                        ErrorCode::FencedLeaderEpoch.code()
                    }
                    _ if asked.fetch_offset > end => ErrorCode::OffsetOutOfRange.code(),
                    _ => 0,
                };
                let backwards = refusal == Some(Refusal::Backwards);
                let elsewhere = match refusal {
                    Some(Refusal::Elsewhere(node)) => Some(node),
                    _ => None,
                };
                let batch = (code == 0 && asked.fetch_offset < end && elsewhere.is_none())
                    .then(|| batch(asked.partition, asked.fetch_offset, records, backwards));
                has_changes |= code != 0 || batch.is_some() || elsewhere.is_some();
                partitions.push(PartitionData {
                    partition_index: asked.partition,
                    error_code: code,
                    high_watermark: end,
                    last_stable_offset: end,
                    log_start_offset: 0,
                    records: batch,
                    preferred_read_replica: elsewhere.unwrap_or(-1),
                    ..PartitionData::default()
                });
            }
            response.responses.push(FetchableTopicResponse {
                topic: topic.topic.clone(),
                topic_id: topic.topic_id,
                partitions,
            });
        }
        (response, has_changes)
    }
}

fn code_of(refusal: Option<Refusal>) -> i16 {
    match refusal {
        Some(Refusal::Partition(code)) => code,
        _ => 0,
    }
}

/// Builds a batch of the records from `offset` on that have the same leader epoch.
fn batch(partition: i32, offset: i64, epochs: &[i32], backwards: bool) -> Bytes {
    let rest = &epochs[offset as usize..];
    let mut builder = BatchBuilder::new(1 << 10);
    for (number, _) in rest
        .iter()
        .take_while(|epoch| **epoch == rest[0])
        .enumerate()
    {
        let value = format!("{partition}-{}", offset + number as i64);
        builder.append(offset + number as i64, None, Some(value.as_bytes()), &[]);
    }
    let sealed = builder.seal(Compression::default(), ProducerFields::default());
    let mut bytes = BytesMut::from(sealed.expect("it fits").bytes.as_ref());
    // Base offset and leader epoch are set by brokers: the checksum leaves them out.
    bytes[..8].copy_from_slice(&offset.to_be_bytes());
    bytes[12..16].copy_from_slice(&rest[0].to_be_bytes());
    if backwards {
        bytes[23..27].copy_from_slice(&(-5i32).to_be_bytes());
    }
    bytes.freeze()
}

fn decode<R: Request>(reader: &mut Reader, header: &RequestHeader) -> R {
    R::decode(reader, header.api_version).expect("a request")
}

fn whole<M: Message + std::fmt::Debug>(header: &RequestHeader, response: &M) -> Bytes {
    frame_of(header, header.api_version, response)
}
