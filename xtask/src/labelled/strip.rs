//! Raw HTML to the text that a reader sees, so that all tools get the same: no tags, comments, scripts or styles.

/// Elements whose content is no text.
const HIDDEN: [&str; 2] = ["script", "style"];
/// References that pages use by name; numeric ones are resolved too, others stay as they are.
const NAMED: [(&str, char); 8] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("copy", '©'),
    ("mdash", '—'),
];

/// The text of a page, its white space squeezed.
pub(crate) fn text_of(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        text.push(' ');
        rest = after_tag(&rest[start..]);
    }
    text.push_str(rest);
    let text = resolve(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows a tag, a comment, or an element that is hidden; nothing if it never ends.
fn after_tag(rest: &str) -> &str {
    if rest.starts_with("<!--") {
        return after(rest, "-->");
    }
    let name = rest[1..].split(|c: char| !c.is_ascii_alphanumeric()).next();
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let behind = after(rest, ">");
    if !HIDDEN.contains(&name.as_str()) {
        return behind;
    }
    // Small letters of ASCII are as long as large ones, so places are the same in both.
    let end = behind.to_ascii_lowercase().find(&format!("</{name}"));
    end.map_or("", |end| after(&behind[end..], ">"))
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark)
        .map_or("", |place| &text[place + mark.len()..])
}

fn resolve(text: &str) -> String {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        resolved.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let found = rest.split_once(';').and_then(|(name, behind)| {
            let character = character(name)?;
            Some((character, behind))
        });
        match found {
            Some((character, behind)) => {
                resolved.push(character);
                rest = behind;
            }
            None => resolved.push('&'),
        }
    }
    resolved.push_str(rest);
    resolved
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    NAMED
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, character)| *character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_scripts_styles_and_comments_leave() {
        let page = "<p>One<br>two</p><!-- <b>no</b> --><SCRIPT src=x>if (a<b) c()</Script> three<style>p{}</style>";
        assert_eq!(text_of(page), "One two three");
    }

    #[test]
    fn references_are_resolved_after_tags_left() {
        assert_eq!(
            text_of("a &lt;b&gt; &amp;&#65;&#x42; &foo; & c"),
            "a <b> &AB &foo; & c"
        );
    }

    #[test]
    fn what_never_ends_takes_the_rest() {
        assert_eq!(text_of("a <b"), "a");
        assert_eq!(text_of("a <script> b"), "a");
    }
}
