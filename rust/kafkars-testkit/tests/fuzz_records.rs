//! Runs the fuzz targets `record_batch` and `decompress` on a fixed number of mutated batches of every codec.

use kafkars_records::{BatchBuilder, Codec, Compression, Header, ProducerFields};
use kafkars_testkit::entropy::Entropy;
use kafkars_testkit::fuzz_records::{decompress_any, record_batch};

const ROUNDS: usize = 2_000;
const MOST_MUTATIONS: usize = 4;
const CODECS: [Codec; 5] = [
    Codec::None,
    Codec::Gzip,
    Codec::Snappy,
    Codec::Lz4,
    Codec::Zstd,
];

#[test]
fn mutated_batches_do_no_harm() {
    let seeds = CODECS.map(|codec| {
        let sealed = batch(codec);
        // A fetch response may hold several batches in a row.
        [sealed.clone(), sealed].concat()
    });
    run(record_batch, &seeds);
}

#[test]
fn mutated_compressed_data_does_no_harm() {
    const HEADER: usize = 61;
    let seeds = CODECS.map(|codec| [&[codec as u8], &batch(codec)[HEADER..]].concat());
    run(decompress_any, &seeds);
}

fn batch(codec: Codec) -> Vec<u8> {
    let mut builder = BatchBuilder::new(0);
    for number in 0..20 {
        let headers = [Header {
            key: "name",
            value: Some(b"header".as_slice()),
        }];
        builder.append(number, Some(b"key"), Some(&[b'v'; 40]), &headers);
    }
    builder
        .seal(Compression::from(codec), ProducerFields::default())
        .expect("a small batch can be sealed")
        .bytes
        .to_vec()
}

fn run(target: fn(&[u8]), seeds: &[Vec<u8>]) {
    let mut entropy = Entropy::from_seed(1);
    for seed in seeds {
        target(seed);
        for _ in 0..ROUNDS {
            let mut input = seed.clone();
            for _ in 0..=entropy.below(MOST_MUTATIONS) {
                mutate(&mut input, &mut entropy);
            }
            target(&input);
        }
    }
}

fn mutate(input: &mut Vec<u8>, entropy: &mut Entropy) {
    if input.is_empty() {
        return;
    }
    let position = entropy.below(input.len());
    match entropy.below(4) {
        0 => input.truncate(position),
        1 => input.insert(position, entropy.bits() as u8),
        2 => drop(input.remove(position)),
        _ => input[position] = entropy.bits() as u8,
    }
}
