//! One suite for every kind of buffer.
//!
//! * [`kinds`] says what kinds there are and which suites each has to pass;
//! * [`suites`] are those suites; each runs over a kind as it is, through
//!   `&mut dyn` and through `Box<dyn>`;
//! * [`model`] is the contract in the dumbest words, [`numbers`] the typed
//!   accessors as data;
//! * [`operations`] runs random sequences of operations against the model;
//! * the other files hold tests that need more than one buffer, or a certain
//!   kind of it, by topic.
//!
//! `LESSONS.md` says which test stands for which bug of which other library.

#![cfg(feature = "std")]
#![allow(clippy::cast_possible_truncation)] // Of test data.

mod composite_edits;
mod growth;
mod kinds;
#[cfg(feature = "mmap")]
mod mapped_files;
mod model;
mod numbers;
mod operations;
mod ownership;
mod panics;
mod slices;
mod suites;
mod support;
mod text;
mod threads;
