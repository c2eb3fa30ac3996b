//! Lines that stand under many texts: what newspapers and agencies print below their articles, and bloggers below
//! theirs.
//!
//! In a collection of the paper's size, the notices of newspapers and agencies stand in more than 300 sources each, and
//! the dated lines, one for each newspaper and day of the week, in about 7 to 150.

use super::super::random::Random;

/// 29 places and three titles make 87 newspapers, as many as the paper has.
const PLACES: [&str; 29] = [
    "Northport",
    "Easton",
    "Westbridge",
    "Southmere",
    "Millford",
    "Harborough",
    "Ashdown",
    "Brackley",
    "Carrick",
    "Dunmore",
    "Elmswell",
    "Fairview",
    "Glenrock",
    "Highgate",
    "Ironbridge",
    "Kingsley",
    "Lakeside",
    "Marlow",
    "Newhaven",
    "Oakfield",
    "Pinehurst",
    "Queensferry",
    "Riverton",
    "Stonehill",
    "Thornbury",
    "Upton",
    "Valleyfield",
    "Winterton",
    "Yarmouth",
];
const TITLES: [&str; 3] = ["Gazette", "Courier", "Herald"];
const AGENCIES: [&str; 8] = [
    "Meridian",
    "Continental",
    "Pacific",
    "Atlas",
    "Union",
    "Capital",
    "Orient",
    "Baltic",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const BLOG: [&str; 12] = [
    "Sent from my phone.",
    "Posted in News and Opinion.",
    "Thanks for reading and see you again soon.",
    "Leave a comment below and tell me what you think.",
    "Filed under things that I read this week.",
    "Click here to read the rest of this entry.",
    "You can follow this blog by mail or with your reader.",
    "Related posts from my archive are listed below.",
    "This entry was written late at night, so forgive my mistakes.",
    "The usual disclaimer applies to everything on this page.",
    "Please link to this page rather than copying it.",
    "Welcome back to my little corner of the web.",
];

/// How often lines of each sort are put under texts.
pub(crate) struct Shares {
    /// What a newspaper prints under most of its articles.
    newspaper: f64,
    agency: f64,
    /// The newspaper and the day.
    dated: f64,
    /// Another line with newspaper and day, seldom used.
    letters: f64,
    blog: f64,
}

pub(crate) const OF_SOURCES: Shares = Shares {
    newspaper: 0.45,
    agency: 0.20,
    dated: 0.08,
    letters: 0.03,
    blog: 0.0,
};

pub(crate) const OF_TARGETS: Shares = Shares {
    newspaper: 0.06,
    agency: 0.04,
    dated: 0.03,
    letters: 0.01,
    blog: 0.25,
};

impl Shares {
    /// The lines of one text.
    pub(crate) fn draw(&self, random: &mut Random) -> Vec<String> {
        let newspaper = newspaper(random);
        let day = DAYS[random.below(DAYS.len())];
        let sorts = [
            (
                self.dated,
                format!("This article appeared in the {newspaper} on {day}."),
            ),
            (self.newspaper, newspaper_notice(random, &newspaper)),
            (self.agency, agency_notice(random)),
            (
                self.letters,
                format!("Letters about this story are printed in the {newspaper} every {day}."),
            ),
            (self.blog, BLOG[random.below(BLOG.len())].to_owned()),
        ];
        let drawn = sorts.into_iter().filter(|(share, _)| random.chance(*share));
        drawn.map(|(_, line)| line).collect()
    }
}

/// One of the newspapers; a third of them print four times as many articles as the others do.
fn newspaper(random: &mut Random) -> String {
    let all = PLACES.len() * TITLES.len();
    let choice = if random.chance(0.5) { all } else { all / 3 };
    let number = random.below(choice);
    format!(
        "{} {}",
        PLACES[number / TITLES.len()],
        TITLES[number % TITLES.len()]
    )
}

fn newspaper_notice(random: &mut Random, newspaper: &str) -> String {
    match random.below(3) {
        0 => format!(
            "Read the complete {newspaper} electronic edition on a computer, just as it appears in print."
        ),
        1 => format!("Copyright of this article belongs to the {newspaper} and its contributors."),
        _ => format!("For more news, pictures and comment visit the pages of the {newspaper}."),
    }
}

fn agency_notice(random: &mut Random) -> String {
    let agency = AGENCIES[random.below(AGENCIES.len())];
    match random.below(2) {
        0 => format!("Reporting by the {agency} newsroom, editing by the foreign desk."),
        _ => format!("The {agency} news agency contributed to this report."),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn lines_stand_under_as_many_sources_as_they_should() {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in 0..432_162 {
            for line in OF_SOURCES.draw(&mut Random::new(1, text)) {
                *counts.entry(line).or_default() += 1;
            }
        }
        let dated = |line: &str| DAYS.iter().any(|day| line.contains(day));
        let common = counts.iter().filter(|(line, _)| !dated(line));
        assert_eq!(common.clone().count(), 87 * 3 + 16);
        let least = common.map(|(_, count)| *count).min();
        assert!(least > Some(300), "{least:?}");
        let rare: Vec<usize> = counts
            .iter()
            .filter(|(line, _)| dated(line))
            .map(|(_, count)| *count)
            .collect();
        let within = rare
            .iter()
            .filter(|count| (10..=200).contains(*count))
            .count();
        assert!(within * 20 > rare.len() * 17, "{within} of {}", rare.len());
        assert!(rare.iter().all(|count| *count < 300));
    }
}
