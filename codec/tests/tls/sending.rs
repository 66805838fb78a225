//! sending
