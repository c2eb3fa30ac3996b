//! Fills the blanks of `page.html`.

const PAGE: &str = include_str!("page.html");

/// The page with every `{{name}}` replaced by its value. One pass: what a value holds is never taken for a blank.
pub(super) fn fill(values: &[(&str, &str)]) -> String {
    let mut filled =
        String::with_capacity(PAGE.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            break;
        };
        if let Some((_, value)) = values.iter().find(|(n, _)| *n == name) {
            filled.push_str(value);
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_filled_again() {
        let page = fill(&[("title", "{{body}}"), ("body", "the body")]);
        assert!(page.contains("<title>{{body}}"), "{page}");
        assert_eq!(page.matches("the body").count(), 1);
    }
}
