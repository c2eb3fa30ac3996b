//! Finds documents by their ids, and lists them in order.

use super::Index;
use super::opened::OpenPart;
use crate::document::Key;
use crate::error::Result;

impl Index {
    /// The id, as JSON, of the document that people call by this text: the one with this string for its id, or else with this
    /// number.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn called(&self, text: &str) -> Result<Option<String>> {
        let quoted = Key::from_text(text).0.into_owned();
        // As programs write JSON that keep to ASCII.
        let escaped = to_ascii(&quoted);
        let number = serde_json::from_str::<serde_json::Number>(text).is_ok();
        let forms = [Some(quoted), escaped, number.then(|| text.to_owned())];
        for form in forms.into_iter().flatten() {
            if self.contains(&form)? {
                return Ok(Some(form));
            }
        }
        Ok(None)
    }

    /// The ids, as JSON, of documents whose id begins with `prefix`, in the order of their JSON: those after `after`, `limit` at
    /// most. Listing sorts the ids of each part once, which takes a while for the first who asks.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn ids(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<String>> {
        let quoted = Key::from_text(prefix);
        let quoted = quoted.as_json().strip_suffix('"').unwrap_or_default();
        let mut ids = self.ids_from(after.unwrap_or_default().max(quoted), limit, &|id| {
            id.starts_with(quoted)
        })?;
        let is_after = |id: &String| after != Some(id);
        ids.retain(is_after);
        if ids.len() < limit {
            // Numbers follow strings: in JSON those begin with a quotation mark.
            let first = after.unwrap_or_default().max(prefix).max("#");
            let others = self.ids_from(first, limit - ids.len(), &|id| {
                !id.starts_with('"') && id.starts_with(prefix)
            })?;
            ids.extend(others.into_iter().filter(is_after));
        }
        Ok(ids)
    }

    /// The first ids from `first` on, `first` included, as long as they are `wanted`; one more than `limit` at most.
    fn ids_from(
        &self,
        first: &str,
        limit: usize,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for part in &self.parts {
            ids_of_part(part, first, limit.saturating_add(1), wanted, &mut ids)?;
        }
        ids.sort_unstable();
        let own = usize::from(ids.first().is_some_and(|id| id == first));
        ids.truncate(limit.saturating_add(own));
        Ok(ids)
    }
}

fn ids_of_part(
    part: &OpenPart,
    first: &str,
    most: usize,
    wanted: &dyn Fn(&str) -> bool,
    ids: &mut Vec<String>,
) -> Result<()> {
    let order = part.part.by_id()?;
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match part.part.document(order[middle])?.id < first {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let mut found = 0;
    for &number in &order[low..] {
        let id = part.part.document(number)?.id;
        if found == most || !wanted(id) {
            break;
        }
        if !part.is_dead(number) {
            ids.push(id.to_owned());
            found += 1;
        }
    }
    Ok(())
}

/// JSON with `\u` for all that is not ASCII; nothing if all is.
fn to_ascii(json: &str) -> Option<String> {
    if json.is_ascii() {
        return None;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Some(escaped)
}
