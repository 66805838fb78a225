//! The contract, written in the dumbest way: a `Vec<u8>`, of which each byte is
//! looked at by itself. The writer index is its length: behind it there are no
//! bytes.

use std::ops::Range;

use refbuf::Error;

#[derive(Clone, Debug)]
pub struct Model {
    pub bytes: Vec<u8>,
    pub reader: usize,
    pub max_capacity: usize,
}

type Result<T> = std::result::Result<T, Error>;

impl Model {
    pub fn new(bytes: &[u8], max_capacity: usize) -> Self {
        Self { bytes: bytes.to_vec(), reader: 0, max_capacity }
    }

    pub fn writer(&self) -> usize {
        self.bytes.len()
    }

    pub fn readable(&self) -> &[u8] {
        &self.bytes[self.reader..]
    }

    fn check(&self, index: usize, len: usize) -> Result<()> {
        let limit = self.writer();
        // In a type that cannot overflow.
        if index as u128 + len as u128 > limit as u128 {
            return Err(Error::OutOfBounds { index, len, limit });
        }
        Ok(())
    }

    pub fn get(&self, index: usize, len: usize) -> Result<Vec<u8>> {
        self.check(index, len)?;
        let mut out = Vec::new();
        for i in 0..len {
            out.push(self.bytes[index + i]);
        }
        Ok(out)
    }

    pub fn set(&mut self, index: usize, src: &[u8]) -> Result<()> {
        self.check(index, src.len())?;
        for (i, &byte) in src.iter().enumerate() {
            self.bytes[index + i] = byte;
        }
        Ok(())
    }

    pub fn skip(&mut self, n: usize) -> Result<()> {
        let available = self.writer() - self.reader;
        if n > available {
            return Err(Error::Underflow { needed: n, available });
        }
        self.reader += n;
        Ok(())
    }

    pub fn read(&mut self, n: usize) -> Result<Vec<u8>> {
        let start = self.reader;
        self.skip(n)?;
        self.get(start, n)
    }

    /// Whether `n` more bytes are allowed.
    pub fn ensure(&self, n: usize) -> Result<()> {
        let available = self.max_capacity - self.writer();
        if n > available {
            return Err(Error::Overflow { needed: n, available });
        }
        Ok(())
    }

    pub fn write(&mut self, src: &[u8]) -> Result<()> {
        self.ensure(src.len())?;
        for &byte in src {
            self.bytes.push(byte);
        }
        Ok(())
    }

    pub fn write_zeros(&mut self, n: usize) -> Result<()> {
        self.ensure(n)?;
        for _ in 0..n {
            self.bytes.push(0);
        }
        Ok(())
    }

    pub fn set_reader(&mut self, index: usize) -> Result<()> {
        if index > self.writer() {
            return Err(Error::InvalidIndex { index, min: 0, max: self.writer() });
        }
        self.reader = index;
        Ok(())
    }

    pub fn set_writer(&mut self, index: usize) -> Result<()> {
        if index < self.reader || index > self.max_capacity {
            let (min, max) = (self.reader, self.max_capacity);
            return Err(Error::InvalidIndex { index, min, max });
        }
        while self.writer() > index {
            self.bytes.pop();
        }
        while self.writer() < index {
            self.bytes.push(0);
        }
        Ok(())
    }

    pub fn set_indices(&mut self, reader: usize, writer: usize) -> Result<()> {
        if writer < reader || writer > self.max_capacity {
            let (min, max) = (reader, self.max_capacity);
            return Err(Error::InvalidIndex { index: writer, min, max });
        }
        self.reader = 0;
        self.set_writer(writer)?;
        self.set_reader(reader)
    }

    pub fn find(&self, range: Range<usize>, needle: &[u8]) -> Option<usize> {
        (range.start..=range.end)
            .filter(|at| range.end - at >= needle.len())
            .find(|&at| (0..needle.len()).all(|i| self.bytes[at + i] == needle[i]))
    }

    pub fn rfind_byte(&self, range: Range<usize>, byte: u8) -> Option<usize> {
        range.rev().find(|&at| self.bytes[at] == byte)
    }

    /// The first `n` bytes are given up: indices count from there.
    pub fn drop_front(&mut self, n: usize) {
        self.bytes.drain(..n);
        self.reader = self.reader.saturating_sub(n);
    }

    /// Parts the model in two at `at`, as a buffer is.
    pub fn split_off(&mut self, at: usize) -> Self {
        let bytes = self.bytes.split_off(at.min(self.writer()));
        let reader = self.reader.saturating_sub(at);
        self.reader = self.reader.min(at);
        Self { bytes, reader, max_capacity: self.max_capacity }
    }
}
