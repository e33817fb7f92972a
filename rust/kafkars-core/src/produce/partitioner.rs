//! Partitioners: which partition a record goes to when it names none.

use std::time::{Duration, Instant};

use crate::backoff::Random;

/// Records without key move to another partition after this many bytes, or after `batch_size` if that is less. With
/// batches of up to 1 MiB, staying for a whole one would keep a slow producer on one partition for hours, and moving
/// after less than this would fill many small batches where there could be few. Partitions that are moved away from
/// keep their batch and fill it later.
const LONGEST_STAY: usize = 64 << 10;

/// They also move when a batch begins this long after the first one since the last move, as librdkafka does after
/// `sticky.partitioning.linger.ms`: few records are spread by time, many by bytes.
const LONGEST_TIME: Duration = Duration::from_millis(10);

/// How keys map to partitions and where keyless records go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Partitioner {
    /// Java's default: murmur2 of the key; keyless records stay on one partition until it has taken 64 KiB or a batch's
    /// worth of bytes (KIP-794), or until a batch begins 10 ms after the first one there, then move to another.
    #[default]
    Murmur2Sticky,
    /// Murmur2 of the key; keyless records go to a random partition each, or for each `sticky_linger`.
    Murmur2Random,
    /// librdkafka's `murmur2`: murmur2 of the key; keyless records all share the partition of an empty key.
    Murmur2Consistent,
    /// librdkafka's `consistent`: CRC-32 of the key; keyless records all share the partition of an empty key.
    Consistent,
    /// librdkafka's `consistent_random`, its default: CRC-32 of the key; records without key, or with an empty one, go
    /// to a random partition each, or for each `sticky_linger`.
    ConsistentRandom,
    /// librdkafka's `fnv1a`: FNV-1a of the key; keyless records all share the partition of an empty key.
    Fnv1a,
    /// FNV-1a of the key; keyless records go to a random partition each, or for each `sticky_linger`.
    Fnv1aRandom,
    /// Every record, keyed or not, goes to a random partition; keyless ones may stay there for `sticky_linger`.
    Random,
    /// Every record, keyed or not, goes to the partition after the last one used.
    RoundRobin,
}

impl Partitioner {
    /// The partition of a record whose key alone decides; `None` for others, which need a [`PartitionChooser`], and for
    /// a topic without partitions.
    pub fn of_key(self, key: Option<&[u8]>, count: usize) -> Option<i32> {
        let buckets = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let partition = match (self, key) {
            // librdkafka takes an empty key for none here, and only here.
            (Self::ConsistentRandom, Some([])) => return None,
            (Self::Murmur2Sticky | Self::Murmur2Random, Some(key)) => {
                murmur2_partition(key, buckets)
            }
            (Self::ConsistentRandom, Some(key)) => crc32_partition(key, buckets),
            (Self::Fnv1aRandom, Some(key)) => fnv1a_partition(key, buckets),
            (Self::Murmur2Consistent, key) => murmur2_partition(key.unwrap_or_default(), buckets),
            (Self::Consistent, key) => crc32_partition(key.unwrap_or_default(), buckets),
            (Self::Fnv1a, key) => fnv1a_partition(key.unwrap_or_default(), buckets),
            _ => return None,
        };
        Some(partition)
    }

    /// Whether a record goes to a random partition, and may as well go where the one before it went.
    pub fn may_stay(self, key: Option<&[u8]>) -> bool {
        match self {
            // An empty key is none here, and only here.
            Self::ConsistentRandom => key.is_none_or(<[u8]>::is_empty),
            Self::Murmur2Random | Self::Fnv1aRandom | Self::Random => key.is_none(),
            _ => false,
        }
    }
}

/// Kafka's names for the strategies, as users write them in `partitioner=`.
pub const PARTITIONER_NAMES: [(&str, Partitioner); 11] = [
    ("murmur2", Partitioner::Murmur2Sticky),
    ("default", Partitioner::Murmur2Sticky),
    ("murmur2_sticky", Partitioner::Murmur2Sticky),
    ("murmur2_random", Partitioner::Murmur2Random),
    ("murmur2_consistent", Partitioner::Murmur2Consistent),
    ("consistent", Partitioner::Consistent),
    ("consistent_random", Partitioner::ConsistentRandom),
    ("fnv1a", Partitioner::Fnv1a),
    ("fnv1a_random", Partitioner::Fnv1aRandom),
    ("random", Partitioner::Random),
    ("round_robin", Partitioner::RoundRobin),
];

/// The moving part of partitioning for one topic: the sticky choice, the turn, the random source.
#[derive(Debug)]
pub struct PartitionChooser {
    random: Random,
    sticky: Option<i32>,
    sticky_bytes: usize,
    // When the first batch was begun since the move to the partition, or when it was chosen for `sticky_linger`.
    sticky_since: Option<Instant>,
    turn: usize,
}

impl PartitionChooser {
    /// `seed` spreads producers over partitions; tests pass a fixed one.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            sticky: None,
            sticky_bytes: 0,
            sticky_since: None,
            turn: usize::try_from(seed % 1024).unwrap_or(0),
        }
    }

    /// Chooses for one record of `size` bytes.
    ///
    /// `count` is the topic's partition count (keys must not move when a leader is missing), `available` the
    /// partitions that have a leader now. Returns `None` only for a topic without partitions.
    pub fn choose(
        &mut self,
        partitioner: Partitioner,
        key: Option<&[u8]>,
        size: usize,
        batch_size: usize,
        count: usize,
        available: &[i32],
    ) -> Option<i32> {
        if let Some(chosen) = partitioner.of_key(key, count) {
            return Some(chosen);
        }
        let buckets = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let chosen = match partitioner {
            Partitioner::Murmur2Sticky => self.sticky(size, batch_size, buckets, available),
            Partitioner::RoundRobin => {
                self.turn = self.turn.wrapping_add(1);
                self.pick(self.turn, buckets, available)
            }
            _ => {
                let random = self.next_random();
                self.pick(random, buckets, available)
            }
        };
        Some(chosen)
    }

    /// Chooses at random for as long as `linger`, from the first record that a choice was made for.
    ///
    /// `count` and `available` are those of [`PartitionChooser::choose`].
    pub fn stay(
        &mut self,
        linger: Duration,
        now: Instant,
        count: usize,
        available: &[i32],
    ) -> Option<i32> {
        let buckets = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let since = self.sticky_since;
        let is_over = since.is_none_or(|since| now.saturating_duration_since(since) >= linger);
        if let Some(partition) = self.held(buckets, available).filter(|_| !is_over) {
            return Some(partition);
        }
        let random = self.next_random();
        self.sticky_since = Some(now);
        self.sticky = Some(self.pick(random, buckets, available));
        self.sticky
    }

    /// Chooses at random for one record alone, as long as [`PartitionChooser::stay`] has made no choice.
    ///
    /// `count` and `available` are those of [`PartitionChooser::choose`].
    pub fn spread(&mut self, count: usize, available: &[i32]) -> Option<i32> {
        let buckets = u32::try_from(count).ok().filter(|count| *count > 0)?;
        if self.sticky.is_some() {
            return None;
        }
        let random = self.next_random();
        Some(self.pick(random, buckets, available))
    }

    /// The partition of the record before, if it still has a leader.
    fn held(&self, buckets: u32, available: &[i32]) -> Option<i32> {
        self.sticky.filter(|partition| match available {
            // The topic may have had this partition only before it was created again.
            [] => u32::try_from(*partition).is_ok_and(|partition| partition < buckets),
            available => available.binary_search(partition).is_ok(),
        })
    }

    fn sticky(&mut self, size: usize, batch_size: usize, buckets: u32, available: &[i32]) -> i32 {
        let stay = self
            .held(buckets, available)
            .filter(|_| self.sticky_bytes < batch_size.min(LONGEST_STAY));
        let partition = stay.unwrap_or_else(|| {
            self.sticky_bytes = 0;
            self.sticky_since = None;
            let random = self.next_random();
            self.pick(random, buckets, available)
        });
        self.sticky = Some(partition);
        self.sticky_bytes += size;
        partition
    }

    /// Notes that a record of this partition began a batch at `now`. The batch before it was closed, so the next record
    /// without key may go to another partition without making batches smaller.
    pub fn batch_began(&mut self, partition: i32, now: Instant) {
        if self.sticky != Some(partition) {
            return;
        }
        let since = *self.sticky_since.get_or_insert(now);
        if now.saturating_duration_since(since) >= LONGEST_TIME {
            self.sticky = None;
        }
    }

    fn pick(&self, number: usize, buckets: u32, available: &[i32]) -> i32 {
        match available.len() {
            0 => bucket(u32::try_from(number & 0x7fff_ffff).unwrap_or(0), buckets),
            len => available[number % len],
        }
    }

    fn next_random(&mut self) -> usize {
        // The upper half fits every platform's `usize`.
        usize::try_from(self.random.next() >> 33).unwrap_or(0)
    }
}

fn bucket(hash: u32, buckets: u32) -> i32 {
    i32::try_from(hash % buckets).unwrap_or(0)
}

/// The partition that Java's producer chooses for a key.
pub fn murmur2_partition(key: &[u8], buckets: u32) -> i32 {
    bucket(murmur2(key) & 0x7fff_ffff, buckets)
}

/// The partition that librdkafka's `consistent` chooses for a key.
pub fn crc32_partition(key: &[u8], buckets: u32) -> i32 {
    bucket(crc32fast::hash(key), buckets)
}

/// The partition that librdkafka's `fnv1a` chooses for a key; as Sarama does, it takes the hash for a signed number and
/// drops the sign.
pub fn fnv1a_partition(key: &[u8], buckets: u32) -> i32 {
    const BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    let hash = key.iter().fold(BASIS, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(PRIME)
    });
    bucket((hash as i32).unsigned_abs(), buckets)
}

/// Kafka's murmur2 with its fixed seed; must agree with Java to the bit, since it decides where keys live.
pub fn murmur2(data: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    let mut h = SEED ^ (data.len() as u32);
    let mut chunks = data.chunks_exact(4);
    for chunk in &mut chunks {
        let mut k = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        k = k.wrapping_mul(M);
        h = h.wrapping_mul(M) ^ k;
    }
    let rest = chunks.remainder();
    for (index, byte) in rest.iter().enumerate() {
        h ^= u32::from(*byte) << (8 * index);
    }
    if !rest.is_empty() {
        h = h.wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    h ^ (h >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(partitioner: Partitioner, key: Option<&[u8]>, count: usize) -> i32 {
        PartitionChooser::new(7)
            .choose(partitioner, key, 100, 1000, count, &[])
            .expect("the topic has partitions")
    }

    #[test]
    fn murmur2_agrees_with_java() {
        // Values of org.apache.kafka.common.utils.Utils.murmur2, printed by the Java client.
        for (key, hash) in [
            ("21", -973_932_308_i32),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            (
                "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()) as i32, hash, "{key}");
        }
    }

    #[test]
    fn fnv1a_agrees_with_librdkafka() {
        // What `confluent_kafka.fnv1a(key, 2**31 - 1)` gives.
        for (key, partition) in [
            (&b"21"[..], 1_930_258_452),
            (b"foobar", 1_080_231_576),
            (b"kafka", 221_496_545),
            (b"\xff\xfe", 803_292_400),
        ] {
            assert_eq!(fnv1a_partition(key, 0x7fff_ffff), partition, "{key:?}");
        }
    }

    #[test]
    fn keyless_records_share_the_partition_of_an_empty_key() {
        for partitioner in [Partitioner::Murmur2Consistent, Partitioner::Fnv1a] {
            let chosen: Vec<i32> = (0..20).map(|_| choose(partitioner, None, 10)).collect();
            assert!(
                chosen
                    .iter()
                    .all(|each| *each == choose(partitioner, Some(b""), 10)),
                "{partitioner:?}: {chosen:?}"
            );
        }
    }

    #[test]
    fn keys_keep_their_partition_whatever_is_available() {
        let mut chooser = PartitionChooser::new(1);
        let all = chooser.choose(
            Partitioner::Murmur2Sticky,
            Some(b"k"),
            1,
            10,
            12,
            &[0, 1, 2],
        );
        let few = chooser.choose(Partitioner::Murmur2Sticky, Some(b"k"), 1, 10, 12, &[]);
        assert_eq!(all, few);
    }

    #[test]
    fn keyless_records_stay_until_a_batch_is_full_then_move() {
        let mut chooser = PartitionChooser::new(3);
        let available: Vec<i32> = (0..64).collect();
        let mut chosen = Vec::new();
        for _ in 0..100 {
            let partition =
                chooser.choose(Partitioner::Murmur2Sticky, None, 100, 1000, 64, &available);
            chosen.push(partition.expect("the topic has partitions"));
        }
        for batch in chosen.chunks(10) {
            assert!(batch.iter().all(|partition| *partition == batch[0]));
        }
        chosen.dedup();
        assert!(chosen.len() > 5, "moved only between {chosen:?}");
    }

    #[test]
    fn keyless_records_leave_a_partition_that_lost_its_leader() {
        let mut chooser = PartitionChooser::new(3);
        let first = chooser
            .choose(Partitioner::Murmur2Sticky, None, 1, 1000, 3, &[0, 1, 2])
            .expect("the topic has partitions");
        let others: Vec<i32> = (0..3).filter(|partition| *partition != first).collect();
        let second = chooser
            .choose(Partitioner::Murmur2Sticky, None, 1, 1000, 3, &others)
            .expect("the topic has partitions");
        assert_ne!(first, second);
    }

    #[test]
    fn consistent_sends_keyless_records_to_one_partition() {
        assert_eq!(
            choose(Partitioner::Consistent, None, 10),
            choose(Partitioner::Consistent, Some(b""), 10)
        );
    }

    #[test]
    fn random_choices_stay_for_a_while_and_then_move() {
        let mut chooser = PartitionChooser::new(3);
        let (start, linger) = (Instant::now(), Duration::from_millis(50));
        let mut at = |ms| {
            chooser
                .stay(linger, start + Duration::from_millis(ms), 64, &[])
                .expect("the topic has partitions")
        };
        let chosen: Vec<Vec<i32>> = (0..10)
            .map(|round| (0..5).map(|step| at(round * 50 + step * 10)).collect())
            .collect();
        for stay in &chosen {
            assert!(stay.iter().all(|partition| *partition == stay[0]));
        }
        let mut places: Vec<i32> = chosen.iter().map(|stay| stay[0]).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 5, "moved only between {places:?}");
    }

    #[test]
    fn random_choices_do_not_stay_where_there_is_no_leader() {
        let (now, linger) = (Instant::now(), Duration::from_secs(60));
        let mut chooser = PartitionChooser::new(3);
        let first = chooser.stay(linger, now, 3, &[0, 1, 2]);
        let others: Vec<i32> = (0..3).filter(|each| Some(*each) != first).collect();
        let second = chooser.stay(linger, now, 3, &others);
        assert_ne!(first, second);
        assert_eq!(chooser.stay(linger, now, 3, &[0, 1, 2]), second);
        // The topic was made again with one partition.
        assert_eq!(chooser.stay(linger, now, 1, &[]), Some(0));
        assert_eq!(chooser.stay(linger, now, 0, &[]), None);
    }

    #[test]
    fn what_has_waited_is_spread_until_a_choice_is_kept() {
        let mut chooser = PartitionChooser::new(3);
        let mut counts = [0; 3];
        for _ in 0..300 {
            let partition = chooser.spread(3, &[]).expect("the topic has partitions");
            counts[usize::try_from(partition).expect("it is not negative")] += 1;
        }
        assert!(counts.iter().all(|count| *count > 60), "{counts:?}");
        assert_eq!(chooser.spread(3, &[2]), Some(2));
        assert_eq!(chooser.spread(0, &[]), None);
        chooser.stay(Duration::from_secs(60), Instant::now(), 3, &[]);
        assert_eq!(chooser.spread(3, &[]), None);
    }

    #[test]
    fn only_what_has_no_key_stays() {
        for (partitioner, empty) in [
            (Partitioner::ConsistentRandom, true),
            (Partitioner::Murmur2Random, false),
            (Partitioner::Fnv1aRandom, false),
            (Partitioner::Random, false),
        ] {
            assert!(partitioner.may_stay(None), "{partitioner:?}");
            assert!(!partitioner.may_stay(Some(b"key")), "{partitioner:?}");
            assert_eq!(partitioner.may_stay(Some(b"")), empty, "{partitioner:?}");
        }
        for partitioner in [
            Partitioner::Murmur2Sticky,
            Partitioner::Consistent,
            Partitioner::RoundRobin,
        ] {
            assert!(!partitioner.may_stay(None), "{partitioner:?}");
        }
    }

    #[test]
    fn consistent_random_spreads_empty_keys() {
        let mut chooser = PartitionChooser::new(5);
        let mut chosen: Vec<i32> = (0..100)
            .filter_map(|_| chooser.choose(Partitioner::ConsistentRandom, Some(b""), 1, 1, 10, &[]))
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        assert!(chosen.len() > 5, "only {chosen:?}");
    }

    #[test]
    fn round_robin_takes_every_partition_in_turn() {
        let mut chooser = PartitionChooser::new(0);
        let mut seen: Vec<i32> = (0..6)
            .filter_map(|_| chooser.choose(Partitioner::RoundRobin, Some(b"same"), 1, 1, 3, &[]))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_topic_without_partitions_has_no_choice() {
        let chosen = PartitionChooser::new(1).choose(Partitioner::Random, None, 1, 1, 0, &[]);
        assert_eq!(chosen, None);
    }
}
