//! Partitions of topics that are not subscribed any more, until they are revoked.

use super::*;

fn only(topic: &str) -> Option<std::collections::BTreeSet<Arc<str>>> {
    Some([Arc::from(topic)].into())
}

/// Twenty records are there, of which five are handed out.
fn read_five() -> FetchBuffer {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 20));
    buffer.take(5).expect("no error");
    buffer
}

fn position(buffer: &FetchBuffer) -> i64 {
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    cursor.position().expect("read")
}

#[test]
fn nothing_more_is_handed_out_or_asked_for_and_the_position_stays() {
    let mut buffer = read_five();
    buffer.want_only(only("another"));
    assert!(!buffer.is_ready());
    assert!(offsets(&mut buffer).is_empty());
    assert!(take_targets(&mut buffer).is_empty());
    assert_eq!(position(&buffer), 5);
    assert_eq!(buffer.paused(), [], "the application has paused nothing");
}

#[test]
fn a_topic_that_is_wanted_again_goes_on_where_it_was() {
    let mut buffer = read_five();
    buffer.want_only(only("another"));
    buffer.want_only(only("t"));
    assert_eq!(offsets(&mut buffer).first(), Some(&(0, 5)));
}

#[test]
fn resuming_does_not_bring_back_what_is_not_wanted_nor_wanting_what_is_paused() {
    let mut buffer = read_five();
    buffer.set_paused(&partition(0), true).expect("assigned");
    buffer.want_only(only("another"));
    buffer.set_paused(&partition(0), false).expect("assigned");
    assert!(offsets(&mut buffer).is_empty());
    buffer.set_paused(&partition(0), true).expect("assigned");
    buffer.want_only(None);
    assert!(offsets(&mut buffer).is_empty());
    assert_eq!(buffer.paused(), [partition(0)]);
    buffer.set_paused(&partition(0), false).expect("assigned");
    assert_eq!(offsets(&mut buffer).first(), Some(&(0, 5)));
}

#[test]
fn a_partition_that_is_assigned_late_is_not_fetched() {
    let mut buffer = assigned(1);
    buffer.want_only(only("another"));
    buffer.add(vec![(partition(1), Some(FetchPosition::at(0)))]);
    assert!(take_targets(&mut buffer).is_empty());
    buffer.want_only(None);
    assert_eq!(take_targets(&mut buffer).len(), 2);
}
