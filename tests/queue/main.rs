//! `CoalescingQueue`, from outside.
//!
//! * [`tokens`]: who is told when, and that nothing is lost;
//! * [`memory`]: what is copied, what is not, and that nothing pushed is
//!   written;
//! * [`refusals`]: what fails changes nothing; what is allocated;
//! * [`reentry`]: code of others that runs inside;
//! * [`model`]: random use against a list of bytes.

#![cfg(not(loom))]
#![allow(clippy::cast_possible_truncation)] // Of test data.

mod memory;
mod model;
mod reentry;
mod refusals;
mod support;
mod tokens;
#[path = "../support/watched.rs"]
#[allow(dead_code)] // Some of it is for other tests.
mod watched;
