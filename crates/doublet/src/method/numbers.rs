//! Numbers of texts that are compared: passages without those that only one text has.

use std::collections::HashMap;
use std::ops::Range;

/// The passages of a text without the numbers in them that another text does not have in the same order.
pub(crate) fn without_other_numbers(
    text: &str,
    passages: &[Range<usize>],
    other: &str,
) -> Vec<Range<usize>> {
    let own: Vec<Range<usize>> = numbers(text).collect();
    let words: Vec<&str> = own.iter().map(|place| &text[place.clone()]).collect();
    let found = InOrder::new(numbers(other).map(|place| &other[place])).longest(&words);
    let mut others = own
        .into_iter()
        .zip(found)
        .filter(|(_, found)| !found)
        .peekable();
    let mut rest = Vec::new();
    for passage in passages {
        let mut start = passage.start;
        while others
            .next_if(|(number, _)| number.end <= passage.start)
            .is_some()
        {}
        while let Some((number, _)) = others.next_if(|(number, _)| number.start < passage.end) {
            rest.push(start..number.start.max(start));
            start = number.end.min(passage.end);
        }
        rest.push(start..passage.end);
    }
    rest.retain(|passage| !passage.is_empty());
    rest
}

/// The places of each word of a text, to find those that another text has in the same order.
pub(crate) struct InOrder(HashMap<String, Vec<u32>>);

/// Pairs of places with the same word that are looked at; where there are more, the first place that fits is taken.
const MOST_PLACES: usize = 1 << 18;

impl InOrder {
    pub(crate) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut places: HashMap<String, Vec<u32>> = HashMap::new();
        for (place, word) in (0..).zip(words) {
            places.entry(word.to_owned()).or_default().push(place);
        }
        Self(places)
    }

    /// Which of some words are in a longest sequence that the text has in the same order.
    pub(crate) fn longest(&self, words: &[&str]) -> Vec<bool> {
        let places = |word: &str| self.0.get(word).map_or(&[][..], Vec::as_slice);
        let pairs: usize = words.iter().map(|word| places(word).len()).sum();
        let mut found = vec![false; words.len()];
        if pairs > MOST_PLACES {
            let mut next = 0;
            for (word, found) in words.iter().zip(&mut found) {
                let places = places(word);
                let behind = places.partition_point(|place| *place < next);
                if let Some(place) = places.get(behind) {
                    (*found, next) = (true, place + 1);
                }
            }
            return found;
        }
        // Hunt and Szymanski: where a sequence of each length ends at the earliest, and its last pair; each pair names the word and the
        // pair before it.
        let mut ends: Vec<(u32, usize)> = Vec::new();
        let mut chain: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            for &place in places(word).iter().rev() {
                let length = ends.partition_point(|(end, _)| *end < place);
                let before = length.checked_sub(1).map(|before| ends[before].1);
                chain.push((at, before));
                let end = (place, chain.len() - 1);
                match ends.get_mut(length) {
                    Some(known) => *known = end,
                    None => ends.push(end),
                }
            }
        }
        let mut last = ends.last().map(|(_, pair)| *pair);
        while let Some(pair) = last {
            let (at, before) = chain[pair];
            found[at] = true;
            last = before;
        }
        found
    }
}

/// The runs of digits of a text.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = chars.find(|(_, c)| c.is_numeric())?;
        while chars.next_if(|(_, c)| c.is_numeric()).is_some() {}
        let end = chars.peek().map_or(text.len(), |(at, _)| *at);
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of a longest common sequence, by the table of all prefixes.
    fn longest(a: &[&str], b: &[&str]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y {
                    corner + 1
                } else {
                    above.max(row[at])
                };
                corner = above;
            }
        }
        row[b.len()]
    }

    proptest::proptest! {
        #[test]
        fn the_longest_sequence_is_found(a in "[abc]{0,12}", b in "[abcd]{0,12}") {
            let (x, y): (Vec<&str>, Vec<&str>) = (a.split("").collect(), b.split("").collect());
            let found = InOrder::new(y.iter().copied()).longest(&x);
            let kept: Vec<&str> = x.iter().zip(&found).filter(|(_, found)| **found).map(|(word, _)| *word).collect();
            proptest::prop_assert_eq!(kept.len(), longest(&x, &y));
            proptest::prop_assert_eq!(longest(&kept, &y), kept.len());
        }
    }

    #[test]
    fn numbers_of_one_text_alone_are_not_shared() {
        let (a, b) = ("M1 rose 12 in week 7", "M1 rose 9 in week 14, or 7");
        let all = 0..a.len();
        let shared = without_other_numbers(a, std::slice::from_ref(&all), b);
        let shared: Vec<&str> = shared.into_iter().map(|place| &a[place]).collect();
        assert_eq!(shared, ["M1 rose ", " in week 7"]);
        assert!(without_other_numbers(a, &[], b).is_empty());
        assert!(without_other_numbers("12", std::slice::from_ref(&(0..2)), "").is_empty());
        assert_eq!(
            without_other_numbers("٣ and ３", std::slice::from_ref(&(0..10)), "３"),
            vec![2..10]
        );
    }
}
