//! Random bytes after valid headers, so that they reach codecs and records.

use proptest::prelude::*;

use crate::{
    hostile::{batch_around, exhaust, mend},
    support::mend_crc,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn noise_behind_a_right_header_never_panics(
        noise in prop::collection::vec(any::<u8>(), 0..400),
        codec in 0_u8..8,
        count in prop_oneof![Just(1), Just(0), any::<i32>()],
    ) {
        let mut bytes = batch_around(&noise);
        bytes[22] = codec;
        bytes[57..61].copy_from_slice(&count.to_be_bytes());
        mend_crc(&mut bytes);
        exhaust(bytes);
    }

    #[test]
    fn pure_noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..300), magic in 0_u8..4) {
        let mut noise = noise;
        if let Some(at) = noise.get_mut(16) {
            *at = magic;
        }
        mend(&mut noise);
        exhaust(noise);
    }

    /// Small bytes are mostly valid varints and lengths, so they get further into records than random ones do.
    #[test]
    fn small_numbers_as_records_never_panic(records in prop::collection::vec(0_u8..12, 0..60)) {
        exhaust(batch_around(&records));
    }
}
