//! Columns of fetched records take as much memory as they need.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use kafkars_arrow::{ColumnTypes, RecordColumn, RecordColumnsBuilder, RecordLayout};
use kafkars_records::{Batch, BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

const PER_BATCH: usize = 16;
const VALUE: usize = 1_000;

fn batch(number: usize) -> Batch {
    let mut builder = BatchBuilder::new(0);
    for index in 0..PER_BATCH {
        let value = vec![(number + index) as u8; VALUE];
        builder.append(index as i64, None, Some(&value), &[]);
    }
    let nobody = ProducerFields {
        producer_id: -1,
        producer_epoch: -1,
        base_sequence: -1,
        transactional: false,
    };
    let sealed = builder.seal(Compression::NONE, nobody).unwrap();
    let raw = batches(sealed.bytes).next().unwrap().unwrap();
    raw.open(&ReadLimits::default()).unwrap()
}

#[test]
fn a_column_with_room_made_for_it_is_not_grown() {
    let topic: Arc<str> = "t".into();
    let columns = [RecordColumn::Value, RecordColumn::Offset];
    let layout = RecordLayout::new(&columns, ColumnTypes::Spark);
    for count in [0, 1, 37] {
        let fetched: Vec<Batch> = (0..count).map(batch).collect();
        let mut builder = RecordColumnsBuilder::new(&layout);
        let bytes: usize = fetched.iter().map(|batch| batch.data().len()).sum();
        builder.reserve(count * PER_BATCH, bytes);
        for batch in &fetched {
            let (added, next) = builder
                .append(&topic, 0, batch, 0, PER_BATCH as u32)
                .unwrap();
            assert_eq!(
                (added as usize, next as usize),
                (PER_BATCH, batch.data().len())
            );
        }
        let made = builder.finish().unwrap();
        assert_eq!(made.num_rows(), count * PER_BATCH);
        let values = made.column(0).as_binary::<i32>();
        let offsets = made.column(1).as_primitive::<Int64Type>();
        for row in 0..made.num_rows() {
            let (number, index) = (row / PER_BATCH, row % PER_BATCH);
            assert_eq!(values.value(row), vec![(number + index) as u8; VALUE]);
            assert_eq!(offsets.value(row), index as i64);
        }
        // Without room made for them in advance the values would take up to twice as much.
        let memory = values.get_buffer_memory_size();
        assert!(
            memory <= bytes + 8 * (made.num_rows() + 16),
            "{memory} of {bytes}"
        );
    }
}
