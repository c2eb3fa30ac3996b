//! The arguments of `serve`, as typed, and what they come to.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use doublet_server::{LogFormat, LogOptions, LogRequests, LogSink, ServeOptions, TlsFiles};

use super::MatchArguments;
use super::resolve::parse_bytes;

/// Answer over HTTP whether texts are copies, and keep the sources: an API and a web page
#[derive(Debug, Args)]
#[command(
    after_help = "The page is at /, a description of the API at /reference and /openapi.json. An answered change is on disk. SIGTERM and Ctrl-C
end the service when what is in flight is done; SIGHUP reads tokens and certificates anew.

A file of tokens has lines `read TOKEN name` and `write TOKEN name`; `openssl rand -hex 24` makes a token.

Examples:
  doublet serve --index news.index --create
  doublet serve --index news.index --listen 0.0.0.0:8443 --token-file tokens --tls-cert cert.pem --tls-key key.pem
  doublet serve --index posts.index --create --method shingles --metric coverage --threshold 0.7
  curl -s localhost:8080/v1/check -H 'Content-Type: application/json' -d '{\"text\": \"Is this new?\"}'"
)]
pub(crate) struct ServeArguments {
    /// Directory of the index
    #[arg(long, value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// Make the index if there is none, with the options below, as `doublet index create` does
    #[arg(long)]
    pub(crate) create: bool,
    /// With --create: keep no texts, only fingerprints and where they stand: for sentences and imatch
    #[arg(long, requires = "create")]
    pub(crate) no_texts: bool,
    /// Address and port to listen at; port 0 takes any that is free
    #[arg(long, value_name = "ADDR:PORT", value_parser = listen_address, default_value_t = ServeOptions::default().listen)]
    listen: SocketAddr,
    #[command(flatten)]
    access: AccessArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    log: LogArguments,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
struct AccessArguments {
    /// File of tokens: without one of them nothing but the page is given out
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Listen to other machines although there are no tokens: whoever reaches the service may ask and change everything
    #[arg(long)]
    insecure: bool,
    /// Certificate, as PEM, with those that lead to its root: the service speaks HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Let pages of this origin ask, such as https://desk.example; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Without tokens: answer to this name as well as to addresses and localhost; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct LimitArguments {
    /// Documents of the index [default: as many as there is room for]
    #[arg(long, value_name = "N")]
    max_documents: Option<u64>,
    /// Bytes of the body of a request, unpacked
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, default_value = "16M")]
    max_body: usize,
    /// Bytes of one text
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, default_value = "4M")]
    max_text: usize,
    /// Texts of one request
    #[arg(long, value_name = "N", default_value_t = ServeOptions::default().max_batch, value_parser = parse_count)]
    max_batch: usize,
    /// Requests at work or waiting; more are refused with 429
    #[arg(long, value_name = "N", default_value_t = ServeOptions::default().max_requests, value_parser = parse_count)]
    max_requests: usize,
    /// Connections; more are refused
    #[arg(long, value_name = "N", default_value_t = ServeOptions::default().max_connections, value_parser = parse_count)]
    max_connections: usize,
    /// Bytes of all bodies that are held at a time; more are refused with 429
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, default_value = "256M")]
    max_bodies: usize,
    /// Time for the head of a request
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    header_timeout: Duration,
    /// Time without a byte of a body
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "30s")]
    body_timeout: Duration,
    /// Time in which nobody takes a byte of an answer
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "30s")]
    write_timeout: Duration,
    /// Time between two requests of a connection
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "75s")]
    idle_timeout: Duration,
    /// Time for what is in flight when the service is told to end
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "30s")]
    grace: Duration,
    /// Threads that answer [default: one a core]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    threads: Option<usize>,
    /// Where the search for clusters puts its files, which are removed when it ends [default: the system's]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
struct LogArguments {
    /// What lines on standard error look like; they hold neither texts nor ids of documents [default: text on a terminal, json otherwise]
    #[arg(long, value_enum, value_name = "FORMAT")]
    log: Option<LogArgument>,
    /// Which requests have a line
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = LogRequestsArgument::Errors)]
    log_requests: LogRequestsArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogArgument {
    Json,
    Text,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogRequestsArgument {
    All,
    Errors,
}

fn listen_address(text: &str) -> std::result::Result<SocketAddr, String> {
    let wrong = |_| "give an address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned();
    text.parse().map_err(wrong)
}

impl ServeArguments {
    pub(crate) fn resolve(&self) -> Result<ServeOptions> {
        if !self.create {
            self.matching.refuse_without_create()?;
        }
        let (access, limits) = (&self.access, &self.limits);
        let default = ServeOptions::default();
        let temp_dir = limits.temp_dir.clone();
        if let Some(place) = temp_dir.as_ref().filter(|place| !place.is_dir()) {
            anyhow::bail!(
                "`--temp-dir {}` is no directory: name one that is there",
                place.display()
            );
        }
        let tls = match (&access.tls_cert, &access.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
            }),
            _ => None,
        };
        Ok(ServeOptions {
            listen: self.listen,
            insecure: access.insecure,
            token_file: access.token_file.clone(),
            tls,
            allow_origins: access.allow_origin.clone(),
            allow_hosts: access.allow_host.clone(),
            max_body: limits.max_body,
            max_text: limits.max_text,
            max_batch: limits.max_batch,
            max_requests: limits.max_requests,
            max_connections: limits.max_connections,
            max_bodies: limits.max_bodies,
            max_documents: limits.max_documents,
            header_timeout: limits.header_timeout,
            body_timeout: limits.body_timeout,
            write_timeout: limits.write_timeout,
            idle_timeout: limits.idle_timeout,
            grace: limits.grace,
            threads: limits.threads.unwrap_or(default.threads),
            temp_dir: temp_dir.unwrap_or(default.temp_dir),
            log: self.log.resolve(),
            ..ServeOptions::default()
        })
    }
}

impl LogArguments {
    fn resolve(&self) -> LogOptions {
        let by_default = match std::io::stderr().is_terminal() {
            true => LogArgument::Text,
            false => LogArgument::Json,
        };
        LogOptions {
            format: match self.log.unwrap_or(by_default) {
                LogArgument::Json => LogFormat::Json,
                LogArgument::Text => LogFormat::Text,
                LogArgument::Off => LogFormat::Off,
            },
            requests: match self.log_requests {
                LogRequestsArgument::All => LogRequests::All,
                LogRequestsArgument::Errors => LogRequests::Errors,
            },
            sink: LogSink::Standard,
        }
    }
}

/// A size of at least a kilobyte.
fn parse_limit(text: &str) -> Result<usize, String> {
    let bytes = parse_bytes(text)?;
    match usize::try_from(bytes) {
        Ok(bytes) if (1 << 10..=1 << 32).contains(&bytes) => Ok(bytes),
        _ => Err("give 1K to 4G".to_owned()),
    }
}

fn parse_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok();
    let count = count.filter(|count| (1..=1_000_000).contains(count));
    count.ok_or_else(|| "give 1 to 1000000".to_owned())
}

/// A time: `30s`, `500ms`, `2m`.
fn parse_time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (digits, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let unit = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("give a time such as 30s, 500ms or 2m".to_owned()),
    };
    let number: Option<f64> = digits.trim().parse().ok();
    let seconds = number.map(|number| number * unit);
    let seconds = seconds.filter(|seconds| (0.001..=86_400.0).contains(seconds));
    let seconds = seconds.ok_or_else(|| "give 1ms to 24h, such as 30s".to_owned())?;
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_as_people_write_them() {
        for (text, millis) in [
            ("30s", 30_000),
            ("500ms", 500),
            ("2m", 120_000),
            ("1.5", 1500),
        ] {
            assert_eq!(
                parse_time(text),
                Ok(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for bad in ["", "s", "0s", "-1s", "1y", "nans", "1e9h"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_limit("64K"), Ok(65_536));
        assert!(parse_limit("12").is_err());
        assert!(parse_count("0").is_err());
    }

    #[test]
    fn defaults_are_those_of_the_service() {
        use clap::Parser;
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            serve: ServeArguments,
        }
        let line = Line::parse_from(["x", "--index", "y"]);
        let mut resolved = line.serve.resolve().unwrap();
        resolved.log = LogOptions::default();
        let default = ServeOptions::default();
        assert_eq!(format!("{resolved:?}"), format!("{default:?}"));
    }
}
