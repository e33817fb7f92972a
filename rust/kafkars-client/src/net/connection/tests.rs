use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use kafkars_protocol::RequestHeader;
use kafkars_protocol::messages::fetch::{
    FetchRequest, FetchResponse, FetchableTopicResponse, PartitionData,
};
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};
use kafkars_testkit::pipe::{ScriptedPeer, every_version, frame_of, pipe};
use parking_lot::Mutex;
use tokio::io::DuplexStream;

use super::*;
use crate::metrics::BrokerCounters;
use crate::net::unanswered::BrokerName;

const TIMEOUT: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(540);
const LONGEST: usize = 100_000_000;

fn settings() -> ConnectionSettings {
    ConnectionSettings {
        broker: BrokerName {
            client: "tests".into(),
            address: "scripted:9092".into(),
            node: Arc::default(),
        },
        client_id: "tests".into(),
        request_timeout: TIMEOUT,
        max_idle: IDLE,
        longest_frame: LONGEST,
        counters: BrokerCounters::default(),
    }
}

fn connect(capacity: usize) -> (Connection, ScriptedPeer<DuplexStream>) {
    connect_with(capacity, settings())
}

fn connect_with(
    capacity: usize,
    settings: ConnectionSettings,
) -> (Connection, ScriptedPeer<DuplexStream>) {
    let (stream, peer) = pipe(capacity);
    let (reader, writer) = tokio::io::split(stream);
    let (connection, task) = Connection::new(Box::new(reader), Box::new(writer), settings);
    connection.set_versions(ApiVersionTable::new(&every_version()));
    tokio::spawn(task);
    (connection, peer)
}

fn beat(member: &str) -> HeartbeatRequest {
    HeartbeatRequest {
        group_id: "group".to_owned(),
        member_id: member.to_owned(),
        ..HeartbeatRequest::default()
    }
}

fn marked(mark: i16) -> HeartbeatResponse {
    HeartbeatResponse {
        error_code: mark,
        ..HeartbeatResponse::default()
    }
}

fn start(
    connection: &Connection,
) -> impl Future<Output = Result<HeartbeatResponse, AttemptError>> + Send + use<> {
    let answer = connection.start(&beat("member"), now() + TIMEOUT);
    answer.expect("an open connection")
}

async fn next(peer: &mut ScriptedPeer<DuplexStream>) -> RequestHeader {
    peer.expect::<HeartbeatRequest>().await.0
}

#[tokio::test(start_paused = true)]
async fn requests_are_pipelined_and_answered_in_order() {
    let (connection, mut peer) = connect(64 * 1024);
    let answers: Vec<_> = (0..3).map(|_| start(&connection)).collect();
    let mut headers = Vec::new();
    for _ in 0..3 {
        headers.push(next(&mut peer).await);
    }
    for (mark, header) in headers.iter().enumerate() {
        peer.answer(header, &marked(mark as i16)).await;
    }
    for (mark, answer) in answers.into_iter().enumerate() {
        assert_eq!(
            answer.await.map(|answer| answer.error_code),
            Ok(mark as i16)
        );
    }
    let counters = connection.shared.settings.counters.client.snapshot();
    assert_eq!(
        (counters.requests_sent, counters.responses_received),
        (3, 3)
    );
    assert_eq!(counters.requests_in_flight, 0);
}

#[tokio::test(start_paused = true)]
async fn a_function_gets_the_answer_or_the_error_once() {
    let (connection, mut peer) = connect(64 * 1024);
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let ask = || {
        let told = told.clone();
        let terms = Terms {
            max_version: i16::MAX,
            deadline: now() + TIMEOUT,
            latest: now() + TIMEOUT,
        };
        connection.start_then(&beat("member"), terms, move |answer| {
            told.send(answer.map(|answer| answer.error_code))
                .expect("the test listens");
        });
    };
    ask();
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(7)).await;
    assert_eq!(heard.recv().await, Some(Ok(7)));
    ask();
    connection.close(&AttemptError::Closed);
    assert_eq!(heard.recv().await, Some(Err(AttemptError::Closed)));
    ask();
    assert_eq!(heard.try_recv(), Ok(Err(AttemptError::Closed)));
    assert!(heard.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_byte_by_byte() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    let header = next(&mut peer).await;
    peer.answer_in_pieces(&header, &marked(7), 1).await;
    assert_eq!(answer.await.map(|answer| answer.error_code), Ok(7));
}

fn records(size: usize) -> FetchResponse {
    let partition = PartitionData {
        records: Some(Bytes::from(vec![42; size])),
        ..PartitionData::default()
    };
    let topic = FetchableTopicResponse {
        partitions: vec![partition],
        ..FetchableTopicResponse::default()
    };
    FetchResponse {
        responses: vec![topic],
        ..FetchResponse::default()
    }
}

#[tokio::test(start_paused = true)]
async fn answers_of_every_size_arrive_whole_and_in_turn() {
    let (connection, mut peer) = connect(64 * 1024);
    let sizes = [
        1, 8_000, 8_200, 20_000, 3, 16_384, 1_000_000, 5_000_000, 100,
    ];
    let fetch = FetchRequest::default();
    let answers: Vec<_> = sizes
        .iter()
        .map(|_| connection.start(&fetch, now() + TIMEOUT).expect("open"))
        .collect();
    let script = tokio::spawn(async move {
        for size in sizes {
            let (header, _) = peer.expect::<FetchRequest>().await;
            peer.answer(&header, &records(size)).await;
        }
        peer
    });
    for (size, answer) in sizes.into_iter().zip(answers) {
        assert_eq!(answer.await, Ok(records(size)));
    }
    script.await.expect("the script ran");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_request_frees_its_slot_and_its_late_answer_is_thrown_away() {
    let (connection, mut peer) = connect(64 * 1024);
    let dropped = start(&connection);
    let kept = start(&connection);
    drop(dropped);
    for mark in [1, 2] {
        let header = next(&mut peer).await;
        peer.answer(&header, &marked(mark)).await;
    }
    assert_eq!(kept.await.map(|answer| answer.error_code), Ok(2));
    assert!(!connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn answers_out_of_order_end_the_connection() {
    let (connection, mut peer) = connect(64 * 1024);
    let (first, second) = (start(&connection), start(&connection));
    let _first_header = next(&mut peer).await;
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(2)).await;
    for answer in [first.await, second.await] {
        assert!(
            matches!(answer, Err(AttemptError::Protocol(_))),
            "{answer:?}"
        );
    }
    assert!(connection.is_closed());
    peer.closed().await;
    assert!(connection.start(&beat("late"), now() + TIMEOUT).is_err());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_asked_for_ends_the_connection() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(1)).await;
    assert!(answer.await.is_ok());
    peer.answer(&header, &marked(1)).await;
    peer.closed().await;
    assert!(connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_cut_connection_fails_every_request_in_flight() {
    for bytes_before in [0, 2, 6] {
        let (connection, mut peer) = connect(64 * 1024);
        let answers = [start(&connection), start(&connection)];
        let header = next(&mut peer).await;
        let frame = frame_of(&header, header.api_version, &marked(0));
        peer.raw(&frame[..bytes_before]).await;
        peer.cut();
        for answer in answers {
            let error = answer.await.expect_err("cut");
            assert!(matches!(error, AttemptError::Disconnected(_)), "{error}");
            assert!(error.retriable() && error.needs_metadata());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_frame_is_named() {
    let cases: [(&[u8], &str); 6] = [
        (b"HTTP/1.1 400 Bad Request\r\n", "HTTP"),
        (&[0x15, 3, 3, 0, 2, 2, 80], "security_protocol"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "SSH"),
        (&[0xff, 0xff, 0xff, 0xff, 0], "length is -1"),
        (&[0, 0, 0, 2, 1, 1], "too short"),
        (&[0x7f, 0xff, 0xff, 0xff, 0], "receive_message_max_bytes"),
    ];
    for (bytes, words) in cases {
        let (connection, mut peer) = connect(64 * 1024);
        let answer = start(&connection);
        peer.raw(bytes).await;
        let error = answer.await.expect_err("no frame").to_string();
        assert!(error.contains(words), "{error}");
        assert!(connection.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn silence_past_the_request_timeout_ends_the_connection() {
    let (connection, mut peer) = connect(64 * 1024);
    let began = now();
    let answers = [start(&connection), start(&connection)];
    for answer in answers {
        assert!(matches!(answer.await, Err(AttemptError::TimedOut(_))));
    }
    assert!(now() - began >= TIMEOUT && now() - began < TIMEOUT + Duration::from_secs(1));
    assert!(connection.is_closed());
    peer.closed().await;
}

/// What waits behind a request without an answer has met the same silence, unless it was sent just now.
#[tokio::test(start_paused = true)]
async fn requests_behind_a_silent_one_were_not_answered_either() {
    let (connection, _peer) = connect(64 * 1024);
    let first = start(&connection);
    tokio::time::sleep(TIMEOUT / 4).await;
    let behind = start(&connection);
    tokio::time::sleep(TIMEOUT / 2).await;
    let late = start(&connection);
    assert!(matches!(first.await, Err(AttemptError::TimedOut(_))));
    assert!(matches!(behind.await, Err(AttemptError::TimedOut(_))));
    assert!(matches!(late.await, Err(AttemptError::Disconnected(_))));
}

#[tokio::test(start_paused = true)]
async fn an_earlier_deadline_leaves_the_connection_alone() {
    let (connection, mut peer) = connect(64 * 1024);
    let hasty = connection
        .start(&beat("hasty"), now() + Duration::from_secs(1))
        .expect("open");
    let began = now();
    let Err(AttemptError::TimedOut(unanswered)) = hasty.await else {
        panic!("it has an answer");
    };
    let owed = (unanswered.request, unanswered.waited);
    assert_eq!(owed, (ApiKey::Heartbeat, Duration::from_secs(1)));
    assert_eq!(now() - began, Duration::from_secs(1));
    let patient = start(&connection);
    for mark in [1, 2] {
        let header = next(&mut peer).await;
        peer.answer(&header, &marked(mark)).await;
    }
    assert_eq!(patient.await.map(|answer| answer.error_code), Ok(2));
}

#[tokio::test(start_paused = true)]
async fn a_later_deadline_outlives_the_request_timeout() {
    let (connection, mut peer) = connect(64 * 1024);
    let joining = connection
        .start(&beat("slow"), now() + 10 * TIMEOUT)
        .expect("open");
    let header = next(&mut peer).await;
    tokio::time::advance(9 * TIMEOUT).await;
    peer.answer(&header, &marked(9)).await;
    assert_eq!(joining.await.map(|answer| answer.error_code), Ok(9));
}

#[tokio::test(start_paused = true)]
async fn a_throttled_connection_stays_quiet_for_as_long_as_asked() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    let header = next(&mut peer).await;
    let throttled = HeartbeatResponse {
        throttle_time_ms: 30_000,
        ..HeartbeatResponse::default()
    };
    peer.answer(&header, &throttled).await;
    assert!(answer.await.is_ok());
    let muted_at = now();
    let answer = connection
        .start(&beat("member"), now() + 3 * TIMEOUT)
        .expect("open");
    let header = next(&mut peer).await;
    let pause = now() - muted_at;
    assert!(
        pause >= TIMEOUT && pause < TIMEOUT + Duration::from_secs(1),
        "{pause:?}"
    );
    peer.answer(&header, &marked(0)).await;
    assert!(answer.await.is_ok());
    assert_eq!(
        connection
            .shared
            .settings
            .counters
            .client
            .snapshot()
            .throttle_time_ms,
        30_000
    );
}

/// A call of two seconds once took 38: its only deadline was the request timeout, which a pause moves.
#[tokio::test(start_paused = true)]
async fn a_pause_holds_no_caller_up_beyond_its_deadline() {
    let (connection, mut peer) = connect(64 * 1024);
    let first = start(&connection);
    let started = now();
    let waiting = [TIMEOUT / 10, TIMEOUT, TIMEOUT + TIMEOUT / 10].map(|limit| {
        let answer = connection.start(&beat("member"), started + limit);
        (limit, Box::pin(answer.expect("open")))
    });
    let header = next(&mut peer).await;
    let throttled = HeartbeatResponse {
        throttle_time_ms: 120_000,
        ..HeartbeatResponse::default()
    };
    peer.answer(&header, &throttled).await;
    assert!(first.await.is_ok());
    for (limit, answer) in waiting {
        let answer = answer.await;
        assert!(
            matches!(answer, Err(AttemptError::TimedOut(_))),
            "{answer:?}"
        );
        let waited = now() - started;
        assert!(
            waited >= limit && waited < limit + Duration::from_secs(1),
            "{waited:?} for {limit:?}"
        );
    }
    assert!(
        !connection.is_closed(),
        "a new connection would only evade the pause"
    );
}

/// A request with `acks=0` gets no response that could time out; there is only a socket that takes nothing.
#[tokio::test(start_paused = true)]
async fn a_request_without_answer_is_given_up_when_nothing_takes_it() {
    let (connection, _peer) = connect(1024);
    let large = "x".repeat(30_000);
    let started = now();
    let written = connection
        .start_oneway(&beat(&large), started + TIMEOUT)
        .expect("open")
        .await;
    assert!(
        matches!(written, Err(AttemptError::TimedOut(_))),
        "{written:?}"
    );
    assert!(now() - started < TIMEOUT + Duration::from_secs(1));
    assert!(connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_nothing_up_beyond_the_latest_moment() {
    let (connection, mut peer) = connect(64 * 1024);
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let latest = now() + TIMEOUT + Duration::from_secs(5);
    for _ in 0..2 {
        let told = told.clone();
        let terms = Terms {
            max_version: i16::MAX,
            deadline: now() + TIMEOUT,
            latest,
        };
        connection.start_then(&beat("member"), terms, move |answer| {
            told.send(answer.map(|answer| answer.error_code))
                .expect("the test listens");
        });
    }
    let header = next(&mut peer).await;
    let forever = HeartbeatResponse {
        throttle_time_ms: i32::MAX,
        ..HeartbeatResponse::default()
    };
    peer.answer(&header, &forever).await;
    assert_eq!(heard.recv().await, Some(Ok(0)));
    assert!(connection.muted_until().is_some());
    let second = heard.recv().await.expect("an outcome");
    assert!(
        matches!(second, Err(AttemptError::TimedOut(_))),
        "{second:?}"
    );
    assert!(now() >= latest && now() < latest + Duration::from_secs(1));
    assert!(connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn an_unused_connection_is_closed() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    let header = next(&mut peer).await;
    tokio::time::advance(TIMEOUT / 2).await;
    peer.answer(&header, &marked(0)).await;
    assert!(answer.await.is_ok());
    let began = now();
    peer.closed().await;
    assert!(now() - began >= IDLE - TIMEOUT && now() - began <= IDLE);
    assert!(connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_connection_may_be_idle_for_less_than_a_request_takes() {
    let (connection, mut peer, max_idle) = soon_idle();
    let (first, second) = (start(&connection), start(&connection));
    let began = now();
    for answer in [first, second] {
        let header = next(&mut peer).await;
        tokio::time::advance(TIMEOUT / 4).await;
        peer.answer(&header, &marked(0)).await;
        assert!(answer.await.is_ok(), "what waits for an answer is not idle");
    }
    let last = start(&connection);
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(0)).await;
    assert!(last.await.is_ok());
    assert_eq!(now() - began, TIMEOUT / 2);
    peer.closed().await;
    assert_eq!(now() - began, TIMEOUT / 2 + max_idle);
    assert!(connection.is_closed());
}

/// A connection that is idle long before a request has taken too long.
fn soon_idle() -> (Connection, ScriptedPeer<DuplexStream>, Duration) {
    let max_idle = TIMEOUT / 10;
    let settings = ConnectionSettings {
        max_idle,
        ..settings()
    };
    let (connection, peer) = connect_with(64 * 1024, settings);
    (connection, peer, max_idle)
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_only_sends_is_not_idle() {
    let (connection, mut peer, max_idle) = soon_idle();
    for _ in 0..5 {
        let written = connection.start_oneway(&beat("member"), now() + TIMEOUT);
        assert!(written.expect("in use").await.is_ok());
        next(&mut peer).await;
        tokio::time::sleep(max_idle / 2).await;
        assert!(!connection.is_closed());
    }
    let began = now();
    peer.closed().await;
    assert!(now() - began <= max_idle / 2 + Duration::from_millis(1));
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_came_with_a_response_is_no_idleness() {
    let (connection, mut peer, max_idle) = soon_idle();
    let terms = || Terms {
        max_version: i16::MAX,
        deadline: now() + TIMEOUT,
        latest: now() + TIMEOUT,
    };
    for _ in 0..2 {
        connection.start_then(&beat("member"), terms(), drop);
    }
    let (first, second) = (next(&mut peer).await, next(&mut peer).await);
    tokio::time::advance(2 * max_idle).await;
    let throttled = HeartbeatResponse {
        throttle_time_ms: 1_000,
        ..HeartbeatResponse::default()
    };
    peer.answer(&first, &throttled).await;
    peer.answer(&second, &marked(0)).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(!connection.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_used_again_meanwhile_is_not_idle() {
    let (connection, mut peer, max_idle) = soon_idle();
    let answer = start(&connection);
    // Its task has found it idle before that, and not said so yet.
    assert!(!connection.shared.fail_idle(now() + 2 * max_idle));
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(0)).await;
    assert!(answer.await.is_ok());
    assert!(connection.shared.fail_idle(now() + 2 * max_idle));
}

#[tokio::test(start_paused = true)]
async fn a_login_that_waits_for_its_credentials_is_not_idle() {
    let (connection, mut peer, max_idle) = soon_idle();
    connection.await_credentials(true);
    tokio::time::sleep(10 * max_idle).await;
    assert!(!connection.is_closed());
    connection.await_credentials(false);
    let began = now();
    peer.closed().await;
    assert_eq!(now() - began, max_idle);
}

#[tokio::test(start_paused = true)]
async fn what_the_socket_does_not_take_at_once_leaves_later_and_in_order() {
    let (connection, mut peer) = connect(50);
    let names: Vec<String> = (0..20).map(|n| format!("{n}").repeat(100)).collect();
    let answers: Vec<_> = names
        .iter()
        .map(|name| {
            connection
                .start(&beat(name), now() + TIMEOUT)
                .expect("open")
        })
        .collect();
    let expected = names.clone();
    tokio::spawn(async move {
        for (mark, name) in expected.iter().enumerate() {
            let (header, request) = peer.expect::<HeartbeatRequest>().await;
            assert_eq!(&request.member_id, name);
            peer.answer(&header, &marked(mark as i16)).await;
        }
        peer.closed().await;
    });
    for (mark, answer) in answers.into_iter().enumerate() {
        assert_eq!(
            answer.await.map(|answer| answer.error_code),
            Ok(mark as i16)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_threads_share_one_connection() {
    const TASKS: usize = 16;
    const ROUNDS: usize = 200;
    let (connection, mut peer) = connect(700);
    let script = tokio::spawn(async move {
        for _ in 0..TASKS * ROUNDS {
            let (header, request) = peer.expect::<HeartbeatRequest>().await;
            peer.answer(&header, &marked(request.generation_id as i16))
                .await;
        }
    });
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let connection = connection.clone();
        tasks.spawn(async move {
            for round in 0..ROUNDS {
                let mark = (task * ROUNDS + round) as i32;
                let request = HeartbeatRequest {
                    generation_id: mark,
                    ..beat("m")
                };
                let answer = connection.start(&request, now() + TIMEOUT).expect("open");
                assert_eq!(
                    answer.await.map(|answer| answer.error_code),
                    Ok(mark as i16)
                );
            }
        });
    }
    let all = async {
        while let Some(done) = tasks.join_next().await {
            done.expect("every answer matches");
        }
        script.await.expect("the script ran");
    };
    tokio::time::timeout(TIMEOUT, all)
        .await
        .expect("nothing hangs");
}

#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_takes_no_slot() {
    let (connection, mut peer) = connect(64 * 1024);
    let written = connection
        .start_oneway(&beat("first"), now() + TIMEOUT)
        .expect("open");
    assert_eq!(written.await, Ok(()));
    let answer = start(&connection);
    next(&mut peer).await;
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(5)).await;
    assert_eq!(answer.await.map(|answer| answer.error_code), Ok(5));
}

#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_is_written_when_the_socket_has_taken_it() {
    let (connection, mut peer) = connect(64);
    let large = "m".repeat(1_000);
    let mut written = Box::pin(
        connection
            .start_oneway(&beat(&large), now() + TIMEOUT)
            .expect("open"),
    );
    tokio::select! {
        biased;
        _ = &mut written => panic!("the peer has read nothing yet"),
        () = tokio::task::yield_now() => {}
    }
    next(&mut peer).await;
    assert_eq!(written.await, Ok(()));

    let lost = connection
        .start_oneway(&beat(&large), now() + TIMEOUT)
        .expect("open");
    connection.close(&AttemptError::Closed);
    assert_eq!(lost.await, Err(AttemptError::Closed));
}

/// A writer that takes every byte, as TLS does, and passes none on before the gate opens.
struct Gated {
    taken: usize,
    gate: Arc<Mutex<(bool, Option<Waker>)>>,
}

impl tokio::io::AsyncWrite for Gated {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.taken += bytes.len();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let gate = Arc::clone(&self.gate);
        let mut gate = gate.lock();
        if !gate.0 {
            gate.1 = Some(context.waker().clone());
            return Poll::Pending;
        }
        self.taken = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_stream_keeps_back_is_not_written() {
    let gate = Arc::new(Mutex::new((false, None::<Waker>)));
    let gated = Gated {
        taken: 0,
        gate: Arc::clone(&gate),
    };
    let (reader, _peer) = tokio::io::duplex(64);
    let (connection, task) = Connection::new(Box::new(reader), Box::new(gated), settings());
    connection.set_versions(ApiVersionTable::new(&every_version()));
    tokio::spawn(task);
    let oneway = |member: &str| {
        let written = connection.start_oneway(&beat(member), now() + TIMEOUT);
        Box::pin(written.expect("open"))
    };
    // The second request finds an empty outbox; the connection's task has tried to write by the third.
    let mut all = vec![oneway("first"), oneway("second")];
    tokio::time::sleep(Duration::from_secs(1)).await;
    all.push(oneway("third"));
    for written in &mut all {
        let done = tokio::time::timeout(Duration::from_secs(1), written).await;
        assert!(done.is_err(), "the stream has given nothing on");
    }
    let waker = {
        let mut gate = gate.lock();
        gate.0 = true;
        gate.1.take()
    };
    waker.expect("the task waits").wake();
    for written in all {
        assert_eq!(written.await, Ok(()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_closes_the_connection() {
    let (connection, mut peer) = connect(64 * 1024);
    let clone = connection.clone();
    drop(connection);
    let answer = start(&clone);
    drop(clone);
    let header = next(&mut peer).await; // a request in flight keeps the connection open too
    peer.answer(&header, &marked(0)).await;
    assert!(answer.await.is_ok());
    peer.closed().await;
}

#[tokio::test(start_paused = true)]
async fn closing_answers_everybody() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    connection.close(&AttemptError::Closed);
    assert_eq!(answer.await, Err(AttemptError::Closed));
    peer.closed().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_ends_the_connection() {
    let (connection, mut peer) = connect(64 * 1024);
    let answer = start(&connection);
    let other = start(&connection);
    let header = next(&mut peer).await;
    let mut bytes = 5i32.to_be_bytes().to_vec();
    bytes.extend(header.correlation_id.to_be_bytes());
    bytes.push(0);
    peer.raw(&bytes).await;
    assert!(matches!(answer.await, Err(AttemptError::Decode(_))));
    assert!(connection.is_closed());
    let error = other.await.expect_err("the connection has ended");
    assert!(error.retriable(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_long_fails_its_own_request_only() {
    let (connection, mut peer) = connect(64 * 1024);
    let first = start(&connection);
    let too_long = start(&connection);
    let behind = start(&connection);
    let header = next(&mut peer).await;
    peer.answer(&header, &marked(7)).await;
    peer.raw(&(LONGEST as i32 + 1).to_be_bytes()).await;
    assert_eq!(first.await.map(|answer| answer.error_code), Ok(7));
    assert_eq!(
        too_long.await,
        Err(AttemptError::FrameTooLarge {
            length: LONGEST + 1,
            limit: LONGEST
        })
    );
    assert!(connection.is_closed());
    let later = connection.start(&beat("member"), now() + TIMEOUT);
    let errors = [behind.await.err(), later.err()];
    for error in errors.map(|error| error.expect("the connection has ended")) {
        assert!(error.retriable(), "{error}");
        assert!(error.to_string().contains("Heartbeat"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_flipped_byte_hangs_or_panics() {
    let length = {
        let (connection, mut peer) = connect(64 * 1024);
        let _answer = start(&connection);
        let header = next(&mut peer).await;
        frame_of(&header, header.api_version, &marked(0)).len()
    };
    for at in 0..length {
        for mask in [0x01, 0x80, 0xff] {
            let (connection, mut peer) = connect(64 * 1024);
            let answer = start(&connection);
            let header = next(&mut peer).await;
            let mut bytes = frame_of(&header, header.api_version, &marked(0)).to_vec();
            bytes[at] ^= mask;
            peer.raw(&bytes).await;
            peer.cut();
            // Only in the response's own fields a flipped byte may go unnoticed.
            if at < 8 {
                assert!(answer.await.is_err(), "byte {at} ^ {mask:#x}");
            } else {
                drop(answer.await);
            }
        }
    }
}
