//! Errors of partitions whose position is not known.

use super::*;

fn refused(buffer: &mut FetchBuffer, number: i32, error: FetchError) {
    let id = buffer.id(&partition(number)).expect("assigned");
    let epoch = buffer.cursors[id].as_ref().expect("assigned").epoch;
    buffer.fail(id, epoch, error);
}

fn unset(partitions: i32) -> FetchBuffer {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::None, 1 << 20);
    let all = (0..partitions).map(|number| (partition(number), None));
    buffer.assign(all.collect());
    buffer
}

#[test]
fn whoever_asks_for_the_position_hears_why_there_is_none_and_it_is_tried_again() {
    let mut buffer = unset(1);
    let error = FetchError::NoOffset {
        partition: partition(0),
    };
    refused(&mut buffer, 0, error.clone());
    assert_eq!(
        buffer.take_position_error(&partition(0)),
        Ok(Some(error.clone()))
    );
    assert_eq!(buffer.take_position_error(&partition(0)), Ok(None));
    assert!(!buffer.is_ready(), "nobody else hears of it");
    let state = buffer.cursor(&partition(0)).expect("assigned").state;
    assert_eq!(state, CursorState::Unset(StartAt::Policy));
    refused(&mut buffer, 0, error.clone());
    assert_eq!(buffer.next_record().expect_err("it is raised"), error);
}

#[test]
fn where_that_is_wanted_only_a_seek_ends_what_the_application_has_heard() {
    let mut buffer = unset(1);
    buffer.stop_without_position();
    let error = FetchError::NoOffset {
        partition: partition(0),
    };
    refused(&mut buffer, 0, error.clone());
    assert!(!is_stopped(&buffer), "nobody has heard of it");
    assert_eq!(buffer.next_record().expect_err("it is raised"), error);
    assert!(is_stopped(&buffer));
    assert!(take_targets(&mut buffer).is_empty());
    assert!(
        buffer
            .take_look_ups(Instant::now(), |_, _| Some(LookUpSource::Leader(1)))
            .is_empty()
    );
    buffer
        .seek(&partition(0), FetchPosition::at(3))
        .expect("assigned");
    assert!(!is_stopped(&buffer));
    assert_eq!(take_targets(&mut buffer)[0].from.offset, 3);
}

fn is_stopped(buffer: &FetchBuffer) -> bool {
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    cursor.is_stopped()
}

#[test]
fn what_is_said_of_a_topic_holds_for_each_partition_and_stays() {
    let mut buffer = unset(2);
    let error = FetchError::Topic {
        topic: "t".into(),
        code: kafkars_protocol::ErrorCode::UnknownTopicOrPartition,
    };
    refused(&mut buffer, 0, error.clone());
    for _ in 0..2 {
        assert_eq!(
            buffer.take_position_error(&partition(1)),
            Ok(Some(error.clone()))
        );
    }
    assert_eq!(buffer.next_record().expect_err("it is raised"), error);
}

#[test]
fn an_error_of_a_partition_with_a_position_is_left_to_whoever_reads() {
    let mut buffer = assigned(1);
    let error = FetchError::NoOffset {
        partition: partition(0),
    };
    refused(&mut buffer, 0, error.clone());
    assert_eq!(buffer.take_position_error(&partition(0)), Ok(None));
    assert_eq!(buffer.next_record().expect_err("it is raised"), error);
}

#[test]
fn what_nobody_can_be_asked_about_is_in_trouble_and_told_where_that_is_wanted() {
    let cause: Arc<str> = "nobody leads it".into();
    let now = Instant::now();
    let error = FetchError::InvalidArgument {
        problem: Arc::clone(&cause),
    };
    // Look-ups tell of their own troubles.
    let mut looked_up = unset(1);
    looked_up.unreachable(&partition(0), now, &cause, Some(error.clone()));
    assert_eq!(looked_up.troubles(), []);
    assert!(!looked_up.is_ready());
    let mut buffer = assigned(2);
    buffer.unreachable(&partition(1), now, &cause, None);
    let troubles = buffer.troubles();
    assert_eq!(troubles.len(), 1);
    assert_eq!(
        (&troubles[0].0, &troubles[0].1.cause),
        (&partition(1), &cause)
    );
    assert!(!buffer.is_ready(), "it may pass");
    buffer.unreachable(&partition(1), now, &cause, Some(error.clone()));
    assert_eq!(buffer.next_record().expect_err("it is told"), error);
    assert_eq!(take_targets(&mut buffer).len(), 2, "both are read on");
}
