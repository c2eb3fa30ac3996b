//! How the service runs: where it listens, who may ask, and what it takes at most. Each default is written here and nowhere else.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Everything that can be chosen about a service.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where it listens; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// Whether it may listen to other machines without tokens.
    pub insecure: bool,
    /// File with the tokens that are let in; `None`: whoever reaches it is.
    pub token_file: Option<PathBuf>,
    /// Certificate and key; `None`: no TLS.
    pub tls: Option<TlsFiles>,
    /// Origins of other pages that may ask, such as `https://desk.example`.
    pub allow_origins: Vec<String>,
    /// Further names by which it may be called where there are no tokens.
    pub allow_hosts: Vec<String>,
    /// Bytes of a request's body, unpacked.
    pub max_body: usize,
    /// Bytes of one text.
    pub max_text: usize,
    /// Texts of one request.
    pub max_batch: usize,
    /// Requests at work or waiting.
    pub max_requests: usize,
    /// Connections.
    pub max_connections: usize,
    /// Bytes of all bodies that are held at a time.
    pub max_bodies: usize,
    /// Documents of the index; `None`: as many as there is room for.
    pub max_documents: Option<u64>,
    /// Time for the head of a request.
    pub header_timeout: Duration,
    /// Time without a byte of a body.
    pub body_timeout: Duration,
    /// Bytes a second that a body must come with, once `body_timeout` was spent waiting.
    pub body_rate: u64,
    /// Time without taking a byte of an answer.
    pub write_timeout: Duration,
    /// Time between two requests of a connection.
    pub idle_timeout: Duration,
    /// Time for what is in flight when the service ends.
    pub grace: Duration,
    /// Least time between two surveys of the clusters; at least four times what the last one took.
    pub survey_pause: Duration,
    /// Where a survey puts its files, which are removed when it ends.
    pub temp_dir: PathBuf,
    /// Threads that answer; 0 for as many as there are cores.
    pub threads: usize,
    /// What is logged.
    pub log: LogOptions,
}

/// Certificate and key, as PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, and those that lead to its root.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// What is logged, and how.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// What a line looks like.
    pub format: LogFormat,
    /// Which requests have one.
    pub requests: LogRequests,
    /// Where lines go.
    pub sink: LogSink,
}

/// What a line of the log looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// An object of JSON.
    #[default]
    Json,
    /// For people.
    Text,
    /// There is none.
    Off,
}

/// Which requests have a line in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRequests {
    /// All.
    All,
    /// Those that were refused or failed.
    #[default]
    Errors,
}

/// Where lines of the log go.
#[derive(Clone, Debug, Default)]
pub enum LogSink {
    /// To standard error.
    #[default]
    Standard,
    /// Into memory, for tests.
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            insecure: false,
            token_file: None,
            tls: None,
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            max_body: 16 << 20,
            max_text: 4 << 20,
            max_batch: 1000,
            max_requests: 256,
            max_connections: 1024,
            max_bodies: 256 << 20,
            max_documents: None,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            body_rate: 8 << 10,
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            grace: Duration::from_secs(30),
            survey_pause: Duration::from_secs(10),
            temp_dir: std::env::temp_dir(),
            threads: 0,
            log: LogOptions::default(),
        }
    }
}
