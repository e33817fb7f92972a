//! Settings of consumers.

use std::str::FromStr;
use std::time::Duration;

use super::checked::Checked;
use super::error::ConfigError;
use super::group::GroupConfig;

/// Which records of transactions a consumer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IsolationLevel {
    /// Every record up to the high watermark.
    #[default]
    ReadUncommitted,
    /// Only records of committed transactions, up to the last stable offset.
    ReadCommitted,
}

impl IsolationLevel {
    /// The number that travels in Fetch and ListOffsets requests.
    pub fn as_i8(self) -> i8 {
        match self {
            Self::ReadUncommitted => 0,
            Self::ReadCommitted => 1,
        }
    }
}

/// Where to start when a partition has no valid position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoOffsetReset {
    /// The oldest record still kept.
    Earliest,
    /// Records that arrive from now on.
    #[default]
    Latest,
    /// Nowhere: the application gets an error and decides.
    None,
    /// Records at most this old (KIP-1106).
    ByDuration(Duration),
}

/// What stands before an ISO 8601 duration in `auto_offset_reset` (KIP-1106).
const BY_DURATION: &str = "by_duration:";

impl FromStr for AutoOffsetReset {
    type Err = ConfigError;

    /// `earliest`, `latest`, `none`, or `by_duration:` and an ISO 8601 duration such as `PT1H` or `P1DT12H`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let problem = || {
            ConfigError::new(
                "auto_offset_reset",
                format!(
                    "{text:?} is none of \"earliest\", \"latest\", \"none\" and \"by_duration:\" with an ISO 8601 duration, such \
                     as \"by_duration:PT1H\""
                ),
            )
        };
        match text {
            "earliest" => Ok(Self::Earliest),
            "latest" => Ok(Self::Latest),
            "none" => Ok(Self::None),
            _ => {
                let duration = text.strip_prefix(BY_DURATION).and_then(iso_duration);
                duration.map(Self::ByDuration).ok_or_else(problem)
            }
        }
    }
}

/// Days, hours, minutes and seconds of an ISO 8601 duration. Months and years have no fixed length, so Kafka does not
/// take them either; nor is a negative age one.
fn iso_duration(text: &str) -> Option<Duration> {
    let (days, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((_, "")) => return None,
        Some((days, time)) => (days, time),
        None => (text.strip_prefix('P')?, ""),
    };
    if days.is_empty() && time.is_empty() {
        return None;
    }
    let (day_seconds, rest) = take_unit(days, 'D', 86_400)?;
    let (hour_seconds, time) = take_unit(time, 'H', 3_600)?;
    let (minute_seconds, time) = take_unit(time, 'M', 60)?;
    let seconds = match time.strip_suffix('S') {
        Some(number) if number.starts_with(|first: char| first.is_ascii_digit()) => {
            let is_plain = |each: char| each.is_ascii_digit() || each == '.';
            number
                .chars()
                .all(is_plain)
                .then_some(number)?
                .parse()
                .ok()?
        }
        None if time.is_empty() => 0.0,
        _ => return None,
    };
    let whole = day_seconds.checked_add(hour_seconds)?;
    let whole = Duration::from_secs(whole.checked_add(minute_seconds)?);
    let fraction = Duration::try_from_secs_f64(seconds).ok()?;
    whole.checked_add(fraction).filter(|_| rest.is_empty())
}

/// The number before `unit`, in seconds, and what follows; 0 where the unit is not there.
fn take_unit(text: &str, unit: char, seconds: u64) -> Option<(u64, &str)> {
    match text.split_once(unit) {
        None => Some((0, text)),
        Some((number, rest)) => {
            let is_number = !number.is_empty() && number.chars().all(|each| each.is_ascii_digit());
            let count: u64 = is_number.then_some(number)?.parse().ok()?;
            Some((count.checked_mul(seconds)?, rest))
        }
    }
}

/// How a consumer fetches and what it hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerConfig {
    /// The broker waits for this many bytes before it answers. Default 1.
    pub fetch_min_bytes: i32,
    /// Most bytes in one fetch response. Default 50 MiB.
    pub fetch_max_bytes: i32,
    /// Most bytes per partition in one fetch response. Default 1 MiB.
    pub max_partition_fetch_bytes: i32,
    /// Longest a fetch waits at the broker for `fetch_min_bytes`. Default 500 ms.
    pub fetch_max_wait: Duration,
    /// Bytes of memory that fetched data may take while it waits for the application, over all partitions. Default
    /// 32 MiB.
    pub fetch_buffer_bytes: usize,
    /// Most records one batch call returns. Default 500.
    pub max_poll_records: usize,
    /// Default read uncommitted.
    pub isolation_level: IsolationLevel,
    /// Default latest, as everywhere in Kafka.
    pub auto_offset_reset: AutoOffsetReset,
    /// Rack of this client for reading from the nearest replica (KIP-392).
    pub client_rack: String,
    /// Deadline of calls that ask the cluster and name none themselves. Default 60 s.
    pub default_api_timeout: Duration,
    /// Largest size one compressed batch may have when opened, in bytes. Default 256 MiB.
    pub max_decompressed_batch: usize,
    /// Membership of a group; `None` reads without one.
    pub group: Option<Checked<GroupConfig>>,
    /// A consumer that makes no progress towards the cluster for this long raises instead of waiting on. Default never.
    pub stuck_timeout: Option<Duration>,
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            fetch_min_bytes: 1,
            fetch_max_bytes: 50 << 20,
            max_partition_fetch_bytes: 1 << 20,
            fetch_max_wait: Duration::from_millis(500),
            fetch_buffer_bytes: 32 << 20,
            max_poll_records: 500,
            isolation_level: IsolationLevel::default(),
            auto_offset_reset: AutoOffsetReset::default(),
            client_rack: String::new(),
            default_api_timeout: Duration::from_secs(60),
            max_decompressed_batch: 256 << 20,
            group: None,
            stuck_timeout: None,
        }
    }
}

impl ConsumerConfig {
    /// Checks that the limits fit each other.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        let positive = [
            ("fetch_max_bytes", self.fetch_max_bytes),
            ("max_partition_fetch_bytes", self.max_partition_fetch_bytes),
        ];
        for (setting, value) in positive {
            if value <= 0 {
                return Err(ConfigError::new(setting, "must be above 0"));
            }
        }
        if self.fetch_min_bytes < 0 {
            return Err(ConfigError::new("fetch_min_bytes", "must not be negative"));
        }
        if self.fetch_min_bytes > self.fetch_max_bytes {
            return Err(ConfigError::new(
                "fetch_min_bytes",
                "is larger than fetch_max_bytes: every fetch would wait its full time",
            ));
        }
        if self.max_poll_records == 0 {
            return Err(ConfigError::new("max_poll_records", "must be at least 1"));
        }
        if self.fetch_buffer_bytes == 0 {
            return Err(ConfigError::new("fetch_buffer_bytes", "must be above 0"));
        }
        if self.stuck_timeout.is_some_and(|limit| limit.is_zero()) {
            return Err(ConfigError::new(
                "stuck_timeout_ms",
                "must be above 0, or None to wait as long as it takes",
            ));
        }
        Ok(Checked(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(text: &str) -> Option<u64> {
        match format!("by_duration:{text}").parse() {
            Ok(AutoOffsetReset::ByDuration(age)) => u64::try_from(age.as_millis()).ok(),
            _ => None,
        }
    }

    #[test]
    fn durations_are_those_of_iso_8601() {
        assert_eq!(age("PT1H"), Some(3_600_000));
        assert_eq!(age("P1DT2H3M4.5S"), Some(93_784_500));
        assert_eq!(age("P7D"), Some(604_800_000));
        assert_eq!(age("PT0S"), Some(0));
        for wrong in [
            "",
            "P",
            "PT",
            "P1DT",
            "1H",
            "PT1",
            "PT-1H",
            "-PT1H",
            "P1M",
            "P1Y",
            "PT1S1H",
            "PTinfS",
            "PT.5S",
            "PT1.2.3S",
            "P99999999999999999999D",
            "P1H",
        ] {
            assert_eq!(age(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_unknown_policy_says_what_is_accepted() {
        let error = "smallest"
            .parse::<AutoOffsetReset>()
            .expect_err("it is unknown");
        assert_eq!(error.setting, "auto_offset_reset");
        assert!(error.problem.contains("by_duration:PT1H"));
    }
}
