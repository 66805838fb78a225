//! lessons
