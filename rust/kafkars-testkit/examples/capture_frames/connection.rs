//! A blocking connection that keeps every response.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::messages::api_versions::{ApiVersion, ApiVersionsRequest};
use kafkars_protocol::{
    ApiKey, FrameLimit, LENGTH_PREFIX, Request, VersionRange, decode_response, encode_request,
};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Connection {
    stream: TcpStream,
    correlation: i32,
    theirs: Vec<ApiVersion>,
    frames: Vec<String>,
}

impl Connection {
    pub(crate) fn open(address: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut connection = Self {
            stream,
            correlation: 0,
            theirs: Vec::new(),
            frames: Vec::new(),
        };
        let greeting = ApiVersionsRequest {
            client_software_name: "kafkars".to_owned(),
            client_software_version: "0".to_owned(),
        };
        for version in ApiKey::ApiVersions.versions().iter() {
            connection.theirs = connection.ask_at(version, &greeting)?.api_keys;
        }
        Ok(connection)
    }

    pub(crate) fn frames(&self) -> &[String] {
        &self.frames
    }

    /// The versions that both sides support; `None` if the broker lacks the API.
    pub(crate) fn versions(&self, key: ApiKey) -> Option<VersionRange> {
        let theirs = self.theirs.iter().find(|api| api.api_key == key.as_i16())?;
        key.versions().intersect(VersionRange {
            min: theirs.min_version,
            max: theirs.max_version,
        })
    }

    /// Sends a request in every common version. Returns the last response; `None` if there is no common version.
    pub(crate) fn ask<R: Request>(
        &mut self,
        mut request: impl FnMut(i16) -> R,
    ) -> Outcome<Option<R::Response>> {
        let mut last = None;
        for version in self
            .versions(R::API_KEY)
            .into_iter()
            .flat_map(VersionRange::iter)
        {
            last = Some(self.ask_at(version, &request(version))?);
        }
        Ok(last)
    }

    /// Sends a request in one version and keeps the response.
    pub(crate) fn ask_at<R: Request>(&mut self, version: i16, request: &R) -> Outcome<R::Response> {
        let (frame, response) = self.exchange(version, request)?;
        let hex: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
        self.frames.push(format!("{} {version} {hex}", R::API_KEY));
        Ok(response)
    }

    /// Sends a request in the highest common version until `ready` is true of its response, and keeps none of them.
    pub(crate) fn wait_for<R: Request>(
        &mut self,
        request: &R,
        ready: impl Fn(&R::Response) -> bool,
    ) -> Outcome<R::Response> {
        let version = self.versions(R::API_KEY).ok_or("no common version")?.max;
        let start = Instant::now();
        loop {
            let (_, response) = self.exchange(version, request)?;
            if ready(&response) {
                return Ok(response);
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{} is not ready: {response:?}", R::API_KEY).into());
            }
        }
    }

    fn exchange<R: Request>(&mut self, version: i16, request: &R) -> Outcome<(Bytes, R::Response)> {
        self.correlation += 1;
        let sent = encode_request(request, version, self.correlation, Some("capture"))?;
        self.stream.write_all(&sent.to_bytes())?;
        let mut prefix = [0; LENGTH_PREFIX];
        self.stream.read_exact(&mut prefix)?;
        let mut frame = vec![0; FrameLimit::new(1 << 20).parse(prefix)?];
        self.stream.read_exact(&mut frame)?;
        let frame = Bytes::from(frame);
        let (correlation, response) = decode_response::<R>(frame.clone(), version)?;
        if correlation != self.correlation {
            return Err(format!("{} answered {correlation}", R::API_KEY).into());
        }
        Ok((frame, response))
    }
}
