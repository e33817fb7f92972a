//! The ways of breaking a message that a bounded decoder has to survive.

use bytes::Bytes;

use crate::sample::{LengthForm, Sample, varint};

/// Masks that flip the lowest bit, the sign or continuation bit, and all bits.
const MASKS: [u8; 3] = [0x01, 0x80, 0xff];

/// Calls `each` with the broken forms of `sample`: every byte changed in three ways, the message cut at every byte, and
/// every length replaced by -1, 0, 1, the largest of its type and, if it is a varint, one with too many bits.
pub fn for_each_broken_form(sample: &Sample, mut each: impl FnMut(Bytes)) {
    let good = &sample.bytes;
    for cut in 0..good.len() {
        each(good.slice(..cut));
    }
    for position in 0..good.len() {
        for mask in MASKS {
            let mut broken = good.to_vec();
            broken[position] ^= mask;
            each(broken.into());
        }
    }
    for length in &sample.lengths {
        for replacement in lies(length.form) {
            let mut broken = good[..length.at.start].to_vec();
            broken.extend_from_slice(&replacement);
            broken.extend_from_slice(&good[length.at.end..]);
            each(broken.into());
        }
    }
}

fn lies(form: LengthForm) -> Vec<Vec<u8>> {
    match form {
        LengthForm::Presence => [-1i8, 0, 1, i8::MAX, i8::MIN]
            .map(|lie| vec![lie as u8])
            .to_vec(),
        LengthForm::Int16 => [-1, 0, 1, i16::MAX, i16::MIN]
            .map(|lie| lie.to_be_bytes().to_vec())
            .to_vec(),
        LengthForm::Int32 => [-1, 0, 1, i32::MAX, i32::MIN]
            .map(|lie| lie.to_be_bytes().to_vec())
            .to_vec(),
        LengthForm::Compact | LengthForm::Varint => {
            let numbers = [
                0,
                1,
                2,
                i32::MAX as u64,
                1 << 31,
                u64::from(u32::MAX),
                u64::MAX,
            ];
            let mut lies = numbers.map(varint).to_vec();
            lies.push(vec![0xff; 11]);
            lies
        }
    }
}
