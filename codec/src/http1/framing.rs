//! What the fields of a head say of the message: how long its body is, what
//! becomes of the connection (RFC 9112, sections 6 and 9).

use super::fields::{Fields, tokens};
use super::{BodyLen, DecodeError, Version};

/// All that matters, from one walk over the fields.
#[derive(Debug, Default)]
pub(super) struct Facts {
    content_length: Option<u64>,
    chunked: bool,
    hosts: usize,
    close: bool,
    keep_alive: bool,
    upgrade_option: bool,
    upgrade_field: bool,
    expects_continue: bool,
}

impl Facts {
    pub(super) fn of(fields: &Fields) -> Result<Self, DecodeError> {
        let mut facts = Self::default();
        for (name, value) in fields.raw() {
            facts.add(name, value)?;
        }
        Ok(facts)
    }

    /// Takes another field into account.
    pub(super) fn add(&mut self, name: &[u8], value: &[u8]) -> Result<(), DecodeError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        // By length first: most fields are none of these.
        match name.len() {
            4 if is("host") => self.hosts += 1,
            6 if is("expect") => {
                self.expects_continue |= value.eq_ignore_ascii_case(b"100-continue");
            }
            7 if is("upgrade") => self.upgrade_field = true,
            10 if is("connection") => {
                for option in tokens(value) {
                    self.close |= option.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                    self.upgrade_option |= option.eq_ignore_ascii_case(b"upgrade");
                }
            }
            14 if is("content-length") => {
                if self.content_length.is_some() {
                    return Err(DecodeError::RepeatedContentLength);
                }
                self.content_length = Some(content_length(value)?);
            }
            17 if is("transfer-encoding") => {
                if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(DecodeError::UnsupportedTransferEncoding);
                }
                self.chunked = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// The announced length, if there is one and it is not ambiguous.
    pub(super) fn announced(&self, version: Version) -> Result<Option<BodyLen>, DecodeError> {
        match (self.chunked, self.content_length) {
            (true, Some(_)) => Err(DecodeError::ConflictingLength),
            (true, None) if version == Version::Http10 => {
                Err(DecodeError::TransferEncodingInOldVersion)
            }
            (true, None) => Ok(Some(BodyLen::Chunked)),
            (false, len) => Ok(len.map(BodyLen::Length)),
        }
    }

    pub(super) fn hosts(&self) -> usize {
        self.hosts
    }

    /// Whether it is said that the connection ends.
    pub(super) fn closes(&self) -> bool {
        self.close
    }

    /// Whether it is said that the connection goes on.
    pub(super) fn keeps(&self) -> bool {
        self.keep_alive
    }

    pub(super) fn check_host(&self, version: Version) -> Result<(), DecodeError> {
        match self.hosts {
            0 if version == Version::Http11 => Err(DecodeError::MissingHost),
            0 | 1 => Ok(()),
            _ => Err(DecodeError::RepeatedHost),
        }
    }

    /// Whether the sender goes on with the connection (RFC 9112, section 9.3).
    pub(super) fn keep_alive(&self, version: Version) -> bool {
        !self.close && (version == Version::Http11 || self.keep_alive)
    }

    /// Whether another protocol is asked for, or agreed to. HTTP/1.0 cannot
    /// (RFC 9110, section 7.8).
    pub(super) fn upgrade(&self, version: Version) -> bool {
        self.upgrade_option && self.upgrade_field && version == Version::Http11
    }

    /// Whether the body waits for a go-ahead. What an HTTP/1.0 client expects
    /// is ignored (RFC 9110, section 10.1.1).
    pub(super) fn expects_continue(&self, version: Version) -> bool {
        self.expects_continue && version == Version::Http11
    }
}

/// Digits and nothing else, of no more than 64 bits.
fn content_length(value: &[u8]) -> Result<u64, DecodeError> {
    if value.is_empty() {
        return Err(DecodeError::InvalidContentLength);
    }
    value.iter().try_fold(0_u64, |len, &byte| match byte {
        b'0'..=b'9' => len
            .checked_mul(10)
            .and_then(|len| len.checked_add(u64::from(byte - b'0')))
            .ok_or(DecodeError::InvalidContentLength),
        _ => Err(DecodeError::InvalidContentLength),
    })
}
