//! What the error of a record says that was not stored: what its tries have met, or what it waited for.

use super::*;

#[test]
fn what_has_not_left_leaves_again_whatever_retries_is() {
    let mut driver = Driver::new(counted(0), 1);
    let (delivery, _) = driver.send(0, b"v").expect("room");
    let unsent = driver.batches(true).remove(0);
    let lost = NoAnswer::NotSent {
        cause: "the connection was lost".into(),
    };
    (driver.sender).attempt_failed(driver.now, 0, vec![unsent], &lost);
    driver.now += Duration::from_secs(1);
    let sent = driver.batches(true).remove(0);
    driver.put_back(sent);
    let error = delivery.result().expect("ended").expect_err("no answer");
    let ProduceError::RetriesExhausted { code, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(code, ErrorCode::NetworkException);
}

#[test]
fn an_expired_record_tells_what_it_waited_for() {
    let mut driver = Driver::new(config(), 1);
    let cut = NoAnswer::Indefinite {
        cause: "the connection broke".into(),
        timed_out: false,
    };
    driver.sender = Driver::unidentified(&driver.config, &driver.accumulator);
    driver.send(0, b"v").expect("room");
    assert!(driver.poll(true).needs_identity);
    driver.sender.identified(driver.now, Some("b:1"), Err(cut));
    driver.now += driver.config.delivery_timeout;
    driver.poll(true);
    let expired = driver.sender.take_finished().remove(0);
    let BatchOutcome::Failed(error) = expired.outcome else {
        panic!("stored without an identity");
    };
    let text = error.to_string();
    assert!(
        text.contains("InitProducerId of broker b:1: the connection broke"),
        "{text}"
    );
}

impl Driver {
    fn silent(&mut self, sent: Vec<InFlightBatch>) {
        let node = sent[0].buffer.partition() % 3;
        let silence = NoAnswer::Indefinite {
            cause: "no answer".into(),
            timed_out: true,
        };
        (self.sender).attempt_failed(self.now, node, sent, &silence);
        self.report();
    }
}

/// What a record has met that was tried until its time was over.
fn timed_out(delivery: &Delivery) -> (ErrorCode, String) {
    let error = delivery.result().expect("ended").expect_err("not stored");
    let ProduceError::DeliveryTimedOut { code, cause, .. } = error else {
        panic!("{error}");
    };
    (code.expect("it was tried"), cause.to_string())
}

/// A record that is refused, and then sent once more to a broker that is silent for as long as the record still has.
fn refused_and_then_silent_for(silence: Duration) -> (ErrorCode, String) {
    timed_out(&refused_and_then_silent(config(), silence))
}

fn refused_and_then_silent(config: ProducerConfig, silence: Duration) -> Delivery {
    let mut driver = Driver::new(config, 1);
    let end = driver.now + driver.config.delivery_timeout;
    let (delivery, _) = driver.send(0, b"v").expect("room");
    let sent = driver.batches(true).remove(0);
    driver.now = end - silence - Duration::from_secs(1);
    driver.answer(sent, ErrorCode::NotLeaderOrFollower.code(), -1);
    driver.now = end - silence;
    let sent = driver.batches(true);
    assert_eq!(sent.len(), 1);
    driver.now = end;
    driver.silent(sent);
    delivery
}

#[test]
fn the_last_of_all_retries_takes_nothing_back_either() {
    let delivery = refused_and_then_silent(counted(1), Duration::from_millis(5));
    let error = delivery.result().expect("ended").expect_err("not stored");
    let ProduceError::RetriesExhausted {
        code,
        is_answer,
        cause,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((code, is_answer), (ErrorCode::NotLeaderOrFollower, true));
    assert!(cause.starts_with("NOT_LEADER_OR_FOLLOWER: "), "{cause}");
}

#[test]
fn the_silence_of_a_moment_takes_nothing_back_of_a_refusal() {
    for silence in [0, 5, 1_000] {
        let (code, cause) = refused_and_then_silent_for(Duration::from_millis(silence));
        assert_eq!(code, ErrorCode::NotLeaderOrFollower);
        assert!(cause.starts_with("NOT_LEADER_OR_FOLLOWER: "), "{cause}");
        assert!(cause.ends_with("; after that: no answer"), "{cause}");
    }
}

#[test]
fn a_broker_that_is_silent_for_long_is_the_cause() {
    let silence = config().request_timeout;
    let (code, cause) = refused_and_then_silent_for(silence);
    assert_eq!(code, ErrorCode::RequestTimedOut);
    let begin = "no answer; before that: NOT_LEADER_OR_FOLLOWER: ";
    assert!(cause.starts_with(begin), "{cause}");
}

#[test]
fn a_record_without_an_answer_has_met_silence_however_short_it_was() {
    let mut driver = Driver::new(config(), 1);
    let (delivery, _) = driver.send(0, b"v").expect("room");
    driver.now += driver.config.delivery_timeout - Duration::from_millis(5);
    let sent = driver.batches(true);
    driver.now += Duration::from_millis(5);
    driver.silent(sent);
    assert_eq!(timed_out(&delivery).0, ErrorCode::RequestTimedOut);
}

/// The records of another partition of the same broker wait for their next try when the time of this one ends.
#[test]
fn a_record_whose_time_ends_is_no_cause_of_others() {
    let mut driver = Driver::new(config(), 4);
    let end = driver.now + driver.config.delivery_timeout;
    driver.send(0, b"v").expect("room");
    driver.now = end - Duration::from_millis(5);
    let late = driver.batches(true);
    let (delivery, _) = driver.send(3, b"v").expect("room");
    let others_end = driver.now + driver.config.delivery_timeout;
    let other = driver.batches(true).remove(0);
    driver.answer(other, ErrorCode::NotEnoughReplicas.code(), -1);
    driver.world.connected = false;
    driver.now = end;
    driver.poll(true);
    driver.silent(late);
    driver.now = others_end;
    driver.poll(true);
    driver.report();
    let (code, cause) = timed_out(&delivery);
    assert_eq!(code, ErrorCode::NotEnoughReplicas, "{cause}");
}

/// Pauses grow to a second, which may be more than is left.
#[test]
fn a_refused_record_is_tried_until_shortly_before_its_end() {
    let mut driver = Driver::new(config(), 1);
    let (first, longest) = (Duration::from_millis(100), Duration::from_secs(1));
    let checked = driver.config.clone().check().expect("fits");
    let backoff = Backoff::new(first, longest);
    driver.sender = Sender::new(checked, Arc::clone(&driver.accumulator), backoff, 1, None);
    let identity = InitProducerIdResponse {
        producer_id: 1,
        ..InitProducerIdResponse::default()
    };
    driver.sender.identified(driver.now, None, Ok(&identity));
    let end = driver.now + driver.config.delivery_timeout;
    let (delivery, _) = driver.send(0, b"v").expect("room");
    let mut last_try = driver.now;
    while delivery.result().is_none() {
        for sent in driver.batches(true) {
            last_try = driver.now;
            driver.answer(sent, ErrorCode::NotEnoughReplicas.code(), -1);
        }
        driver.now += Duration::from_millis(1);
    }
    assert!(end - last_try <= first, "{:?}", end - last_try);
}
