//! Partitions that a rebalance takes and brings back.

use super::*;

/// Takes the partitions away as a rebalance does, and brings `back` to the assignment.
fn rebalance(buffer: &mut FetchBuffer, back: &[i32]) -> Vec<TopicPartition> {
    let all = buffer.assignment();
    buffer.keep(&all);
    buffer.remove(&all);
    let back: Vec<_> = back.iter().map(|number| partition(*number)).collect();
    buffer.add(back.iter().map(|one| (one.clone(), None)).collect());
    back
}

fn read_five() -> FetchBuffer {
    let mut buffer = assigned(2);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 20));
    buffer.take(5).expect("no error");
    buffer
}

#[test]
fn what_comes_back_goes_on_where_it_was() {
    let mut buffer = read_five();
    buffer.set_paused(&partition(1), true).expect("assigned");
    buffer
        .seek_to(&partition(1), StartAt::Latest)
        .expect("assigned");
    buffer.finish_all();
    let back = rebalance(&mut buffer, &[0, 1]);
    assert_eq!(buffer.buffered(), 0);
    buffer.restore(&back);
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    let position = cursor.fetch_position().expect("read");
    assert_eq!((position.offset, position.leader_epoch), (5, 3));
    assert_eq!(buffer.paused(), [partition(1)]);
    let cursor = buffer.cursor(&partition(1)).expect("assigned");
    assert_eq!(cursor.state, CursorState::Unset(StartAt::Latest));
    let target = take_targets(&mut buffer).remove(0);
    assert_eq!(target.from.offset, 5, "what was not read is fetched again");
    answer(&mut buffer, &target, wire(5, 2));
    assert_eq!(offsets(&mut buffer), [(0, 5), (0, 6)]);
}

/// The records in hand are committed only when the application asks for more, as if nothing had happened.
#[test]
fn records_in_hand_stay_unfinished() {
    let mut buffer = read_five();
    let back = rebalance(&mut buffer, &[0]);
    buffer.restore(&back);
    assert_eq!(buffer.finished()[0].1.offset, 0);
    buffer.finish_all();
    assert_eq!(buffer.finished()[0].1.offset, 5);
}

#[test]
fn what_others_may_have_had_begins_anew() {
    let mut buffer = read_five();
    rebalance(&mut buffer, &[0]);
    buffer.forget_kept();
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    assert_eq!(cursor.position(), None);

    let mut buffer = read_five();
    let back = rebalance(&mut buffer, &[1]);
    buffer.restore(&back);
    let back = rebalance(&mut buffer, &[0]);
    buffer.restore(&back);
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    assert_eq!(cursor.position(), None, "it was away in between");
    buffer
        .seek(&partition(0), FetchPosition::at(9))
        .expect("assigned");
    assert_eq!(buffer.finished()[0].1.offset, 9, "nothing of it is in hand");
}
