//! What a broker does to batches: sets their offset and log-append time, writes markers.

use kafkars_records::{
    BatchBuilder, Codec, Compression, ControlType, LegacyFormat, LegacySetBuilder, ProducerFields,
    RecordsError, TimestampType, TransactionMarker,
};

use crate::support::{build, open, raw, read, some_records};

#[test]
fn a_batch_is_placed_in_the_log_without_touching_its_crc() {
    let bytes = build(
        &some_records(5),
        Codec::Gzip.into(),
        ProducerFields::default(),
    );
    let placed = raw(bytes.clone()).with_position(1_000, 12).unwrap();
    assert_eq!(
        (
            placed.header.base_offset,
            placed.header.partition_leader_epoch
        ),
        (1_000, 12)
    );
    assert_eq!(placed.header, raw(placed.bytes().clone()).header);
    assert_eq!(placed.bytes()[16..], bytes[16..]);
    let batch = open(placed.bytes().clone()).unwrap();
    assert_eq!(
        batch.records().map(|view| view.offset).collect::<Vec<_>>(),
        [1_000, 1_001, 1_002, 1_003, 1_004]
    );
    assert_eq!(batch.header.next_offset(), 1_005);
}

#[test]
fn log_append_time_counts_for_every_record() {
    let records = some_records(4);
    let bytes = build(&records, Codec::Snappy.into(), ProducerFields::default());
    let stamped = raw(bytes).with_log_append_time(42).unwrap();
    let batch = open(stamped.bytes().clone()).unwrap();
    assert_eq!(batch.header, stamped.header);
    assert_eq!(
        batch.header.attributes.timestamp_type(),
        TimestampType::LogAppendTime
    );
    assert!(batch.records().all(|view| view.timestamp == 42));
    let values = |records: Vec<crate::support::Owned>| {
        records
            .into_iter()
            .map(|record| record.value)
            .collect::<Vec<_>>()
    };
    assert_eq!(values(read(&batch)), values(records));
}

#[test]
fn message_sets_are_not_placed_as_batches_are() {
    let mut builder = LegacySetBuilder::new(LegacyFormat::Magic1, 0);
    builder.append(1, None, Some(b"value"));
    let set = raw(builder.seal(Compression::NONE).unwrap());
    assert_eq!(
        set.with_position(5, 0),
        Err(RecordsError::BadMagic {
            base_offset: 0,
            magic: 1
        })
    );
}

#[test]
fn markers_tell_how_a_transaction_ended() {
    for (committed, kind) in [(true, ControlType::Commit), (false, ControlType::Abort)] {
        let marker = TransactionMarker {
            committed,
            producer_id: 9,
            producer_epoch: 3,
            coordinator_epoch: 5,
            timestamp: 77,
        };
        let batch = open(marker.to_batch().unwrap()).unwrap();
        let attributes = batch.header.attributes;
        assert!(attributes.is_control() && attributes.is_transactional());
        assert_eq!(
            (
                batch.header.producer_id,
                batch.header.producer_epoch,
                batch.header.base_sequence
            ),
            (9, 3, -1)
        );
        let records = read(&batch);
        assert_eq!(ControlType::from_key(records[0].key.as_deref()), Some(kind));
        assert_eq!(records[0].value.as_deref(), Some(&[0, 0, 0, 0, 0, 5][..]));
        assert_eq!(records[0].timestamp, 77);
    }
}

#[test]
fn control_keys_of_other_kinds_are_told_apart() {
    assert_eq!(ControlType::from_key(None), None);
    assert_eq!(ControlType::from_key(Some(&[0, 0, 0])), None);
    assert_eq!(ControlType::from_key(Some(&[0xff, 0xff, 0, 0])), None);
    assert_eq!(
        ControlType::from_key(Some(&[0, 0, 0, 2])),
        Some(ControlType::LeaderChange)
    );
    assert_eq!(
        ControlType::from_key(Some(&[0, 1, 0, 1, 8, 8])),
        Some(ControlType::Commit)
    );
    assert_eq!(
        ControlType::from_key(Some(&[0, 0, 1, 0])),
        Some(ControlType::Unknown(256))
    );
}

/// Setting the offset must not disturb a produce request whose frame the batch is a slice of.
#[test]
fn a_shared_batch_is_copied_before_it_is_changed() {
    let mut builder = BatchBuilder::new(0);
    builder.append(0, None, None, &[]);
    let sealed = builder
        .seal(Compression::NONE, ProducerFields::default())
        .unwrap();
    let before = sealed.bytes.to_vec();
    let placed = raw(sealed.bytes.clone()).with_position(99, 1).unwrap();
    assert_eq!(sealed.bytes[..], before[..]);
    assert_ne!(placed.bytes()[..], before[..]);
}
