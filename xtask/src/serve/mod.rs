//! `cargo xtask bench --serve`: `doublet serve` under load, on an index of 432,162 sources.
//!
//! `load` is the program that asks: one thread, on the same machine as the service, over loopback. `requests` makes what it sends,
//! `service` starts what is measured, `soak` keeps it busy for minutes. Measured are checks a second by the number of connections, a
//! fixed rate, ten times what can be answered, and additions beside checks. The index is made once and stays under `target/bench/serve/`; what changes
//! it works on a copy.

mod connection;
mod histogram;
mod load;
mod requests;
pub(crate) mod service;
mod show;
mod soak;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::bench::record;
use crate::doublet::{self, Doublet};
use crate::sentences::figures::sources_and_targets;
use load::{Lane, Pace, Seen};
use requests::Texts;
use service::Service;

/// Numbers of connections at which checks are counted.
const CONNECTIONS: [usize; 6] = [1, 4, 16, 32, 64, 128];
/// Rates of an open loop: what the service must reach, and a part of it.
const RATES: [f64; 2] = [5_000.0, 15_000.0];
const OPEN_CONNECTIONS: usize = 64;
/// Connections of an overload: as many as the service takes, and more.
const MANY: [usize; 2] = [900, 2_000];
const OVERLOAD: f64 = 10.0;
/// Additions, and checks beside them.
const ADDERS: usize = 64;
const ADDS: f64 = 2_000.0;
const CHECKS_BESIDE: f64 = 2_000.0;
/// Files that may be open at a time.
const FILES: u64 = 8_192;

/// What to measure of a service.
#[derive(clap::Args, Debug)]
pub(crate) struct ServeArgs {
    /// Measure `doublet serve` under load instead
    #[arg(long, conflicts_with_all = ["peers", "peers_only", "scaling", "corpus", "method"])]
    pub(crate) serve: bool,
    /// With --serve: seconds of each measurement
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10.0,
        requires = "serve"
    )]
    seconds: f64,
    /// With --serve: sources of the index [default: 432162]
    #[arg(long, value_name = "N", requires = "serve")]
    sources: Option<usize>,
    /// With --serve: nothing but a soak of so many minutes, with additions, removals and checks
    #[arg(long, value_name = "MINUTES", requires = "serve")]
    soak: Option<f64>,
}

/// What the load comes from and goes to.
struct Bench<'a> {
    doublet: &'a Doublet,
    texts: Texts,
    folder: PathBuf,
    /// The index, which is never changed.
    index: PathBuf,
    duration: Duration,
}

/// Measure, print the table, keep the record.
pub(crate) fn run(
    args: &ServeArgs,
    tool: &doublet::Args,
    from: &[PathBuf],
    name: Option<&str>,
) -> Result<()> {
    ensure!(
        args.seconds >= 0.5 && args.seconds < 3600.0,
        "`--seconds` must be at least 0.5"
    );
    raise_limit()?;
    let found = Doublet::find(tool)?;
    let (sources, targets) = sources_and_targets(args.sources, from, tool)?;
    let folder = tool.folder()?.join("serve");
    std::fs::create_dir_all(&folder)?;
    let bench = Bench {
        doublet: &found,
        texts: Texts::read(&targets)?,
        index: make_index(&found, &folder, &sources)?,
        folder,
        duration: Duration::from_secs_f64(args.seconds),
    };
    println!("{} texts to ask about", bench.texts.len());
    let rows = match args.soak {
        Some(minutes) => soak::run(&bench, minutes)?,
        None => bench.measure()?,
    };
    let default = if args.soak.is_some() {
        "serve-soak"
    } else {
        "serve"
    };
    println!("\n{}\n", show::table(&rows));
    let path = record::write(name.unwrap_or(default), &rows, tool.threads)?;
    println!("record: {}", path.display());
    Ok(())
}

/// Very many connections are very many files.
fn raise_limit() -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < FILES {
        setrlimit(Resource::RLIMIT_NOFILE, FILES.min(hard), hard)?;
    }
    Ok(())
}

/// The index of the sources: the one that lies there if it was made of them, or a new one.
fn make_index(tool: &Doublet, folder: &Path, sources: &Path) -> Result<PathBuf> {
    let stem = sources.file_stem().unwrap_or_default().to_string_lossy();
    let (index, mark) = (folder.join(&*stem), folder.join(format!("{stem}.done")));
    if !mark.is_file() {
        doublet::clear(&index)?;
        let (name, input) = (index.display().to_string(), sources.display().to_string());
        run_tool(tool, &["index", "create", &name])?;
        println!("  index add {input}");
        tool.work(&["index", "add", &name, &input]).measure()?;
        std::fs::write(&mark, "")?;
    }
    Ok(index)
}

fn run_tool(tool: &Doublet, line: &[&str]) -> Result<()> {
    let status = Command::new(tool.binary()).args(line).status();
    let status = status.with_context(|| format!("cannot start `{}`", tool.binary().display()))?;
    ensure!(
        status.success(),
        "`doublet {}` failed with {status}",
        line.join(" ")
    );
    Ok(())
}

impl Bench<'_> {
    fn measure(&self) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        let service = self.serve(&self.index)?;
        self.warm(&service)?;
        let mut best = (0.0, CONNECTIONS[0]);
        for connections in CONNECTIONS {
            let (seen, row) = self.checks(&service, "checks", connections, Pace::Closed)?;
            if seen.rate() > best.0 {
                best = (seen.rate(), connections);
            }
            rows.push(row);
        }
        for rate in RATES {
            rows.push(
                self.checks(
                    &service,
                    "checks at a rate",
                    OPEN_CONNECTIONS,
                    Pace::Open(rate),
                )?
                .1,
            );
        }
        for connections in MANY {
            rows.push(
                self.checks(&service, "overload", connections, Pace::Closed)?
                    .1,
            );
            rows.push(self.recovery(&service, best.1)?);
        }
        let most = Pace::Open(OVERLOAD * best.0);
        rows.push(
            self.checks(&service, "overload at a rate", MANY[0], most)?
                .1,
        );
        rows.push(self.recovery(&service, best.1)?);
        service.stop()?;
        rows.extend(self.additions()?);
        Ok(rows)
    }

    /// A service of an index, on a free port.
    fn serve(&self, index: &Path) -> Result<Service> {
        let log = self.folder.join("serve.log");
        let service = Service::start(self.doublet.binary(), index, &log, &[])?;
        println!("serving {} at {}", index.display(), service.address);
        Ok(service)
    }

    /// Asks about every text once, so that the pages of the index are in memory.
    fn warm(&self, service: &Service) -> Result<()> {
        let lanes = [self.check_lane("warming", 16, Pace::Closed)];
        load::run(
            service.address,
            &lanes,
            self.duration.max(Duration::from_secs(5)),
            |_| Ok(()),
        )?;
        Ok(())
    }

    fn check_lane(&self, name: &'static str, connections: usize, pace: Pace) -> Lane<'_> {
        Lane {
            name,
            connections,
            pace,
            first: 0,
            make: self.texts.checks(),
        }
    }

    fn checks(
        &self,
        service: &Service,
        experiment: &str,
        connections: usize,
        pace: Pace,
    ) -> Result<(Seen, Value)> {
        let lanes = [self.check_lane("checks", connections, pace)];
        let (mut seen, row) = self.ask(service, experiment, &lanes, self.duration)?;
        Ok((seen.remove(0), row))
    }

    /// What is answered in the first second after an overload, and in the next.
    fn recovery(&self, service: &Service, connections: usize) -> Result<Value> {
        let lanes = [self.check_lane("checks", connections, Pace::Closed)];
        let second = Duration::from_secs(1);
        let (_, mut row) = self.ask(service, "right after", &lanes, second)?;
        row["next_second"] = self.ask(service, "a second later", &lanes, second)?.1;
        Ok(row)
    }

    /// Runs lanes, and says what they saw and what the service used.
    fn ask(
        &self,
        service: &Service,
        experiment: &str,
        lanes: &[Lane<'_>],
        duration: Duration,
    ) -> Result<(Vec<Seen>, Value)> {
        service.reset_peak()?;
        let before = service.cpu_seconds()?;
        let seen = load::run(service.address, lanes, duration, |_| Ok(()))?;
        let row = json!({
            "experiment": experiment,
            "lanes": seen.iter().map(Seen::to_json).collect::<Vec<_>>(),
            "service": {
                "cpu_seconds": ((service.cpu_seconds()? - before) * 100.0).round() / 100.0,
                "memory": service.memory()?.to_json(),
            },
        });
        for lane in &seen {
            println!("  {experiment}: {}", show::line(lane));
        }
        Ok((seen, row))
    }

    /// A copy of the index that may be changed.
    fn copy(&self) -> Result<PathBuf> {
        let copy = self.folder.join("live");
        doublet::clear(&copy)?;
        let [from, to] = [&self.index, &copy].map(|path| path.display().to_string());
        run_tool(self.doublet, &["index", "snapshot", &from, &to, "-q"])?;
        Ok(copy)
    }

    /// Additions of one document each beside checks: as many as go, and at a rate.
    fn additions(&self) -> Result<Vec<Value>> {
        let copy = self.copy()?;
        let service = self.serve(&copy)?;
        self.warm(&service)?;
        let (mut rows, mut first) = (Vec::new(), 0);
        for (experiment, adding, checking, checkers) in [
            ("additions alone", Pace::Closed, None, 0),
            (
                "additions beside checks",
                Pace::Closed,
                Some(Pace::Open(CHECKS_BESIDE)),
                32,
            ),
            (
                "additions at a rate beside checks",
                Pace::Open(ADDS),
                Some(Pace::Open(CHECKS_BESIDE)),
                32,
            ),
            (
                "additions at a rate beside all checks",
                Pace::Open(ADDS),
                Some(Pace::Closed),
                16,
            ),
        ] {
            let mut lanes = vec![Lane {
                name: "additions",
                connections: ADDERS,
                pace: adding,
                first,
                make: self.texts.adds(),
            }];
            lanes.extend(checking.map(|pace| self.check_lane("checks", checkers, pace)));
            let (seen, row) = self.ask(&service, experiment, &lanes, self.duration)?;
            first = seen[0].next;
            rows.push(row);
        }
        service.stop()?;
        let name = copy.display().to_string();
        run_tool(self.doublet, &["index", "verify", &name, "-q"])?;
        doublet::clear(&copy)?;
        Ok(rows)
    }
}
