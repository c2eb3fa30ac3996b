//! How the index grew and what was asked, minute by minute for a day and hour by hour for a quarter of a year. Kept in a file beside the index,
//! as well as may be: losing it costs a chart.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use doublet::files::{self, File};
use serde::{Deserialize, Serialize};

use crate::metrics::{Metrics, get};

const MINUTES: usize = 24 * 60;
const HOURS: usize = 24 * 90;
/// Name of the file in the directory of the index.
const NAME: &str = "history";

/// One point in time: figures as they were then, and counts since the point before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Seconds since 1970.
    pub(crate) time: u64,
    pub(crate) documents: u64,
    pub(crate) bytes: u64,
    pub(crate) checks: u64,
    pub(crate) duplicates: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

/// The points, and where the counters stood at the last.
#[derive(Debug)]
pub(crate) struct History {
    path: PathBuf,
    points: Mutex<Points>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Points {
    minutes: VecDeque<Point>,
    hours: VecDeque<Point>,
    /// Counters at the last point.
    #[serde(skip)]
    before: Point,
}

impl History {
    /// Takes up what the file has, if it can be read.
    pub(crate) fn open(directory: &Path) -> Self {
        let path = directory.join(NAME);
        let read = files::read(&path).ok();
        let points = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            path,
            points: Mutex::new(points.unwrap_or_default()),
        }
    }

    /// Adds a point, with the figures of the index as they are.
    pub(crate) fn add(&self, time: u64, documents: u64, bytes: u64, metrics: &Metrics) {
        let counted = Point {
            time,
            documents,
            bytes,
            checks: get(&metrics.checks),
            duplicates: get(&metrics.duplicates),
            added: get(&metrics.added),
            removed: get(&metrics.removed),
        };
        self.lock().push(counted);
    }

    /// The points, oldest first, by the minute or by the hour.
    pub(crate) fn points(&self, hours: bool) -> Vec<Point> {
        let points = self.lock();
        let chosen = if hours {
            &points.hours
        } else {
            &points.minutes
        };
        chosen.iter().copied().collect()
    }

    /// Writes the file anew; it appears whole.
    pub(crate) fn save(&self) -> std::io::Result<()> {
        let bytes = serde_json::to_vec(&*self.lock())?;
        let new = self.path.with_extension("new");
        let mut file = File::create(&new)?;
        let written = file.write_all(&bytes);
        let renamed = written.and_then(|()| files::rename(&new, &self.path));
        renamed.inspect_err(|_| {
            let _left = files::remove_file(&new);
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Points> {
        self.points
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Points {
    fn push(&mut self, counted: Point) {
        let since = |now: u64, before: u64| now.saturating_sub(before);
        let point = Point {
            checks: since(counted.checks, self.before.checks),
            duplicates: since(counted.duplicates, self.before.duplicates),
            added: since(counted.added, self.before.added),
            removed: since(counted.removed, self.before.removed),
            ..counted
        };
        self.before = counted;
        self.minutes.push_back(point);
        let hour = point.time - point.time % 3600;
        match self.hours.back_mut() {
            Some(last) if last.time == hour => {
                last.documents = point.documents;
                last.bytes = point.bytes;
                last.checks += point.checks;
                last.duplicates += point.duplicates;
                last.added += point.added;
                last.removed += point.removed;
            }
            _ => self.hours.push_back(Point {
                time: hour,
                ..point
            }),
        }
        let old = self.minutes.len().saturating_sub(MINUTES);
        self.minutes.drain(..old);
        let old = self.hours.len().saturating_sub(HOURS);
        self.hours.drain(..old);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn minutes_add_up_to_hours_and_come_back_from_the_file() {
        let place = tempfile::tempdir().unwrap();
        let history = History::open(place.path());
        let metrics = Metrics::default();
        for minute in 0..2000 {
            metrics.checks.fetch_add(2, Ordering::Relaxed);
            history.add(7200 + 60 * minute, minute, 0, &metrics);
        }
        assert_eq!(history.points(false).len(), MINUTES);
        assert!(history.points(false).iter().all(|point| point.checks == 2));
        let hours = history.points(true);
        assert_eq!(hours.len(), 34);
        assert_eq!(
            (hours[0].time, hours[0].checks, hours[0].documents),
            (7200, 120, 59)
        );
        history.save().unwrap();
        let again = History::open(place.path());
        assert_eq!(again.points(true), hours);
        std::fs::write(place.path().join(NAME), b"{").unwrap();
        assert!(History::open(place.path()).points(true).is_empty());
    }
}
