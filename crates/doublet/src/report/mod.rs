//! What a run leaves behind for people and programs to read.

pub mod html;
