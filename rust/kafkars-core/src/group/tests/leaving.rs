//! Leaving, and what may come in between.

use super::*;

fn short(config: &mut GroupConfig) {
    config.max_poll_interval = Duration::from_secs(60);
    config.session_timeout = Duration::from_secs(600);
}

fn leave(desk: &mut Desk) -> Change {
    desk.membership.leave(desk.now, Leave::default());
    desk.work();
    let revoked = desk.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    revoked
}

/// The application has to be told that it has left, whatever it does meanwhile.
fn hangs_in_its_last_callback(mut desk: Desk) {
    leave(&mut desk);
    while desk.try_next().is_some() {}
    desk.pass(Duration::from_secs(61));

    assert!(matches!(
        desk.told.pop_front(),
        Some(GroupEvent::PollIntervalExceeded(_))
    ));
    assert!(matches!(desk.next_change().kind, ChangeKind::Lost(_)));
    assert_eq!(desk.told.pop_front(), Some(GroupEvent::Left));
    assert_eq!(desk.membership.state(), MembershipState::Unsubscribed);
    match desk.next().request {
        GroupRequest::LeaveGroup(_) => {}
        GroupRequest::ConsumerGroupHeartbeat(request) => assert_eq!(request.member_epoch, -1),
        other => panic!("a goodbye, not {}", other.name()),
    }
}

#[test]
fn a_classic_member_that_hangs_while_leaving_has_left() {
    let mut desk = Desk::classic(&["range"], short);
    desk.join_alone(1);
    let assigned = desk.next_change();
    desk.done(&assigned);
    hangs_in_its_last_callback(desk);
}

#[test]
fn a_consumer_member_that_hangs_while_leaving_has_left() {
    let mut desk = Desk::consumer(short);
    desk.take_in(1, &[0, 1]);
    let assigned = desk.next_change();
    desk.done(&assigned);
    hangs_in_its_last_callback(desk);
}

#[test]
fn leaving_gives_up_everything_before_it_says_so() {
    let mut desk = Desk::classic(&["range"], short);
    desk.join_alone(1);
    let assigned = desk.next_change();
    assert_eq!(assigned.partitions.len(), 4);
    desk.done(&assigned);
    let revoked = leave(&mut desk);
    assert!(desk.try_next().is_none());
    desk.done(&revoked);
    let goodbye = desk.next();
    assert!(matches!(goodbye.request, GroupRequest::LeaveGroup(_)));
    desk.answer(&goodbye, GroupResponse::LeaveGroup(Default::default()));
    assert_eq!(desk.told.pop_front(), Some(GroupEvent::Left));
}

/// A member may leave under its own id where the coordinator still has it at a later epoch; its joins wait for a pause.
#[test]
fn a_join_that_is_fenced_frees_its_place_and_pauses() {
    let mut desk = Desk::consumer(short);
    let (beat, request) = desk.next_beat();
    assert_eq!(request.member_epoch, 0);
    desk.answer(
        &beat,
        GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
            error_code: ErrorCode::FencedMemberEpoch.code(),
            ..ConsumerGroupHeartbeatResponse::default()
        }),
    );
    let (_, goodbye) = desk.next_beat();
    assert_eq!(goodbye.member_epoch, -1);
    assert!(desk.try_next().is_none());
    desk.pass(Duration::from_secs(1));
    let (_, again) = desk.next_beat();
    assert_eq!(again.member_epoch, 0);
}
