//! Random choices for generated test data.

/// A source of choices: endless from a seed, or from bytes; after the end of these every choice is the simplest one.
///
/// Property tests and fuzzers supply bytes, so that smaller inputs make smaller messages.
#[derive(Clone, Debug)]
pub struct Entropy(EntropySource);

#[derive(Clone, Debug)]
enum EntropySource {
    Seed(u64),
    Bytes { bytes: Vec<u8>, position: usize },
}

impl Entropy {
    /// Makes a source from a seed; the same seed gives the same choices.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self(EntropySource::Seed(seed))
    }

    /// Makes a source that takes its choices from `bytes` in order.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(EntropySource::Bytes { bytes, position: 0 })
    }

    /// Returns eight random bytes.
    pub fn bits(&mut self) -> u64 {
        match &mut self.0 {
            EntropySource::Seed(state) => {
                // SplitMix64: every state is visited once, and neighbouring seeds differ at once.
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = *state;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ (mixed >> 31)
            }
            EntropySource::Bytes { bytes, position } => {
                let mut word = [0; 8];
                for byte in &mut word {
                    *byte = bytes.get(*position).copied().unwrap_or(0);
                    *position += 1;
                }
                u64::from_le_bytes(word)
            }
        }
    }

    /// Returns a number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }

    /// Returns true once in `times` on average; false after the end of the bytes.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.bits() % times == times - 1
    }
}
