//! One setting of a run, measured: on all of the truth, and on its halves.

use super::judge::{Half, Judge};
use super::tally::{Found, Measures};
use crate::batch::JoinOptions;
use crate::cluster::{ClusterOptions, Clusters, cluster};
use crate::matches::{Documents, Matches};

/// What a setting reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingQuality {
    /// By all of the truth.
    pub all: Measures,
    /// F1 of the pairs by the half that settings are chosen on.
    pub chosen_f1: f64,
    /// By the other half.
    pub held_out: Measures,
}

/// The pairs of a run that reach a threshold, and their clusters.
#[derive(Debug)]
pub struct Cut {
    matches: Matches,
    clusters: Option<Clusters>,
}

impl Cut {
    /// The pairs that are matches by these options, which ask for no less than those that the pairs were found with. There are
    /// clusters if there are options for them.
    pub fn new(
        documents: &Documents,
        matches: &Matches,
        options: &JoinOptions,
        clustering: Option<&ClusterOptions>,
    ) -> Self {
        let decision = options.decision();
        let is_match = |scores: &_| decision.is_match(scores);
        let matches = matches.retained(documents, is_match);
        let clusters = clustering.map(|clustering| {
            let removal = clustering.removal.map(|_| options.removal_rule(None));
            let clustering = ClusterOptions {
                removal,
                ..clustering.clone()
            };
            cluster(documents, &matches, &clustering)
        });
        Self { matches, clusters }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.matches.count()
    }

    /// What was found.
    pub fn found<'a>(&'a self, documents: &'a Documents) -> Found<'a> {
        Found {
            documents,
            matches: &self.matches,
            clusters: self.clusters.as_ref(),
        }
    }
}

impl Judge {
    /// Measures a setting.
    pub fn setting(&self, found: &Found<'_>) -> SettingQuality {
        SettingQuality {
            all: self.measure(found, None),
            chosen_f1: self.f1(found, Some(Half::Chosen)),
            held_out: self.measure(found, Some(Half::HeldOut)),
        }
    }
}
