//! Runs the fuzz targets `frame` and `messages` on a fixed number of mutated responses of real brokers.

use kafkars_testkit::entropy::Entropy;
use kafkars_testkit::fuzz_messages::{frame, message, seeds};

const ROUNDS: usize = 200;
const MOST_MUTATIONS: usize = 4;

#[test]
fn mutated_frames_do_no_harm() {
    run(frame, seeds().into_iter().map(|(frame, _)| frame).collect());
}

#[test]
fn mutated_messages_do_no_harm() {
    run(
        message,
        seeds().into_iter().map(|(_, message)| message).collect(),
    );
}

/// Found by fuzzing: bytes after the message counted for the allowance that its 55 empty names took.
#[test]
fn many_empty_names_and_bytes_behind_them_do_no_harm() {
    let mut content = vec![0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 55];
    content.resize(189, 0);
    let mut input = vec![0, 0, 0, 189];
    input.append(&mut content);
    frame(&input);
}

fn run(target: fn(&[u8]), seeds: Vec<Vec<u8>>) {
    assert!(seeds.len() > 500, "{}", seeds.len());
    let mut entropy = Entropy::from_seed(1);
    for seed in &seeds {
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
    let position = entropy.below(input.len());
    match entropy.below(4) {
        0 => input.truncate(position),
        1 => input.insert(position, entropy.bits() as u8),
        2 => drop(input.drain(position..input.len().min(position + 1))),
        _ => {
            if let Some(byte) = input.get_mut(position) {
                *byte = entropy.bits() as u8;
            }
        }
    }
}
