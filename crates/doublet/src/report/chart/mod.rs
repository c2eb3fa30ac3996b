//! Charts as SVG: lines over a swept option, and a heat map over two.
//!
//! In comes plain data, out goes one drawing, either a file that stands alone or a part of a page. Colours are custom
//! properties that follow the reader's light or dark scheme; series differ by dash and marker as well, for those who
//! do not tell the colours apart; every drawing says its figures in words, for those who listen. Nothing is loaded,
//! nothing depends on the machine: the same data gives the same bytes.
//!
//! Values that are no numbers are left out; they never reach the drawing.

mod axis;
mod heat;
mod layout;
mod line;
mod svg;

pub use heat::HeatMap;
pub use line::{BestPoint, LineChart, Series, YRange};

/// The rules that a page needs which holds charts; files of their own bring them along.
pub(in crate::report) const STYLE: &str = include_str!("style.css");

/// One swept option: its name and the values it took, as they were given.
///
/// Where all values are numbers in rising or falling order, they stand at their distances, otherwise at equal ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// What is swept, for example `threshold`.
    pub name: String,
    /// The values in order.
    pub values: Vec<String>,
}

#[cfg(test)]
mod tests;
