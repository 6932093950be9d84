use crate::Failure;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Body, Response};
use ring::digest::{digest, SHA256};
use std::collections::HashMap;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, path::Path, sync::Mutex, time::Instant};

/// The header fields of a kind of responses.
pub struct Fields(Vec<(HeaderName, Field)>);

enum Field {
    Constant(HeaderValue),
    Link,
    Tag,
    Limit,
    RequestId,
}

impl Fields {
    /// Reads the head of one of Fave Games' responses. hyper itself adds the date and the length.
    pub fn read(file: &Path) -> Result<Fields, Failure> {
        let head = fs::read_to_string(file)?;
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let mut fields = vec![];
        for (name, value) in lines {
            let name: HeaderName = name.parse()?;
            let field = match name.as_str() {
                "date" | "content-length" => continue,
                "link" => Field::Link,
                "etag" => Field::Tag,
                "ratelimit" => Field::Limit,
                "x-request-id" => Field::RequestId,
                _ => Field::Constant(value.parse()?),
            };
            fields.push((name, field));
        }
        Ok(Fields(fields))
    }

    pub fn response(&self, body: Vec<u8>, level: &Level, mut link: Option<String>) -> Response<Body> {
        let mut tag = Some(tag(&body));
        let mut response = Response::new(Body::from(body));
        let fields = response.headers_mut();
        fields.reserve(self.0.len() + 2);
        for (name, field) in &self.0 {
            let value = match field {
                Field::Constant(value) => value.clone(),
                Field::Link => text(link.take().unwrap_or_default()),
                Field::Tag => text(tag.take().unwrap_or_default()),
                Field::Limit => text(level.field()),
                Field::RequestId => text(request_id()),
            };
            fields.append(name, value);
        }
        response
    }
}

fn text(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("only visible characters")
}

/// A strong entity tag: half of the digest of the body, in hexadecimal.
fn tag(body: &[u8]) -> String {
    let mut tag = String::with_capacity(34);
    tag.push('"');
    for byte in &digest(&SHA256, body).as_ref()[..16] {
        for digit in [byte >> 4, byte & 15] {
            tag.push(b"0123456789abcdef"[usize::from(digit)].into());
        }
    }
    tag.push('"');
    tag
}

/// A UUID that counts.
fn request_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    uuid::Uuid::from_u64_pair(0x0123_4567_89ab_8def, 1 << 63 | count).to_string()
}

const UNITS: f64 = 1_000_000.0;

/// Counts the requests of clients. Each has a bucket that is filled in a minute.
pub struct Limiter(Mutex<HashMap<IpAddr, Bucket>>);

struct Bucket {
    units: f64,
    filled_at: Instant,
}

pub struct Level {
    remaining: u32,
    reset: u32,
}

impl Limiter {
    pub fn new() -> Limiter {
        Limiter(Mutex::new(HashMap::new()))
    }

    pub fn take(&self, client: IpAddr) -> Level {
        let now = Instant::now();
        let mut buckets = self.0.lock().expect("no one panics");
        let bucket = buckets.entry(client).or_insert(Bucket { units: UNITS, filled_at: now });
        let elapsed = now.saturating_duration_since(bucket.filled_at).as_secs_f64();
        bucket.units = (bucket.units + elapsed * UNITS / 60.0).min(UNITS) - 1.0;
        bucket.filled_at = now;
        let reset = (UNITS - bucket.units) * 60.0 / UNITS;
        Level { remaining: bucket.units as u32, reset: reset.ceil() as u32 }
    }
}

impl Level {
    fn field(&self) -> String {
        let mut field = String::with_capacity(40);
        let _ = write!(field, "\"address-reads\";r={};t={}", self.remaining, self.reset);
        field
    }
}
