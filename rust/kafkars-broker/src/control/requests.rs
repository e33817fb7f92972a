//! The requests that reached the broker, to assert on.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use kafkars_protocol::{ApiKey, DecodeError, DescribedValue, Reader};

use super::fault::FaultAction;
use crate::api_table;

/// Bodies of requests that are larger are not kept: those of produce requests with many records.
const LARGEST_BODY: usize = 64 * 1024;
/// Bytes of bodies that are kept altogether. Those of the oldest requests go first.
const BODIES: usize = 16 * 1024 * 1024;

/// Bytes of a client's name that are kept.
const LONGEST_NAME: usize = 1024;

/// A request that reached the broker, whatever became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenRequest {
    /// The node it was sent to.
    pub node: i32,
    /// The connection it came on: numbered from 1 in the order in which connections were accepted.
    pub connection: u64,
    /// The API that it asks for.
    pub api: ApiKey,
    /// The version of the request.
    pub version: i16,
    /// The client's number for it.
    pub correlation_id: i32,
    /// The client's name for itself; its first 1,024 bytes.
    pub client_id: Option<String>,
    /// The size in bytes, header included.
    pub size: usize,
    /// The time when it was read, by the broker's clock, in milliseconds since 1970.
    pub time: i64,
    /// The fault that struck it, if one did.
    pub action: Option<FaultAction>,
    /// The bytes that follow its header, where they are kept.
    pub(crate) body: Option<Bytes>,
}

impl SeenRequest {
    /// The fields of the request. None when they are not kept any more or hold a secret (SaslAuthenticate,
    /// AlterUserScramCredentials), or when the API is not served.
    ///
    /// # Errors
    /// When the bytes are not such a request.
    pub fn body(&self) -> Option<Result<DescribedValue, DecodeError>> {
        let reader = Reader::new(self.body.clone()?);
        api_table::describe(self.api, self.version, reader)
    }
}

/// The latest requests.
#[derive(Debug)]
pub(crate) struct Requests {
    latest: VecDeque<SeenRequest>,
    limit: usize,
    /// The number of the oldest that have lost their bodies.
    bare: usize,
    bodies: usize,
    /// The number of requests there have been in all.
    pub(crate) count: u64,
}

impl Requests {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            latest: VecDeque::new(),
            limit,
            bare: 0,
            bodies: 0,
            count: 0,
        }
    }

    pub(crate) fn record(&mut self, mut request: SeenRequest) {
        self.count += 1;
        if self.limit == 0 {
            return;
        }
        if self.latest.len() >= self.limit
            && let Some(oldest) = self.latest.pop_front()
        {
            self.bare = self.bare.saturating_sub(1);
            self.bodies -= oldest.body.map_or(0, |body| body.len());
        }
        request.client_id = request.client_id.map(shortened);
        // A copy: a slice would keep the whole buffer that the request was read into.
        let kept = request
            .body
            .take()
            .filter(|body| body.len() <= LARGEST_BODY);
        request.body = kept.map(|body| Bytes::copy_from_slice(&body));
        self.bodies += request.body.as_ref().map_or(0, Bytes::len);
        self.latest.push_back(request);
        while self.bodies > BODIES {
            let Some(oldest) = self.latest.get_mut(self.bare) else {
                return;
            };
            self.bodies -= oldest.body.take().map_or(0, |body| body.len());
            self.bare += 1;
        }
    }

    pub(crate) fn latest(&self) -> impl Iterator<Item = &SeenRequest> {
        self.latest.iter()
    }

    pub(crate) fn forget(&mut self) {
        self.latest = VecDeque::new();
        (self.bare, self.bodies) = (0, 0);
    }
}

fn shortened(name: String) -> String {
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let ends = (0..=LONGEST_NAME).rev();
    let end = ends.into_iter().find(|end| name.is_char_boundary(*end));
    // A new text: a cut one would keep the room that it had.
    name[..end.unwrap_or(0)].to_owned()
}

/// The time that one look for new requests may wait, before whoever waits gets a chance to be interrupted.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: usize) -> SeenRequest {
        SeenRequest {
            node: 1,
            connection: 1,
            api: ApiKey::Produce,
            version: 9,
            correlation_id: 0,
            client_id: None,
            size: body,
            time: 0,
            action: None,
            body: Some(Bytes::from(vec![0; body])),
        }
    }

    #[test]
    fn bodies_are_bounded_one_by_one_and_together() {
        let mut requests = Requests::new(1000);
        requests.record(request(LARGEST_BODY + 1));
        for _ in 0..999 {
            requests.record(request(LARGEST_BODY));
        }
        assert!(requests.bodies <= BODIES);
        let kept: Vec<bool> = requests.latest().map(|seen| seen.body.is_some()).collect();
        assert_eq!(
            kept.iter().filter(|kept| **kept).count(),
            BODIES / LARGEST_BODY
        );
        assert!(kept[999] && !kept[0]);
        for _ in 0..2000 {
            requests.record(request(1));
        }
        assert_eq!((requests.bodies, requests.bare), (1000, 0));
        assert_eq!(requests.latest().count(), 1000);
        requests.forget();
        assert_eq!((requests.latest().count(), requests.count), (0, 3000));
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let name = format!("a{}", "é".repeat(LONGEST_NAME));
        let mut requests = Requests::new(1);
        requests.record(SeenRequest {
            client_id: Some(name.clone()),
            ..request(0)
        });
        let kept = requests.latest().next().unwrap().client_id.clone().unwrap();
        assert!(name.starts_with(&kept));
        assert_eq!((kept.len(), kept.capacity()), (1023, 1023));
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_to_be_recorded() {
        let mut requests = Requests::new(0);
        requests.record(request(1));
        assert_eq!((requests.latest().count(), requests.bodies), (0, 0));
    }
}
