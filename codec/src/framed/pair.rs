//! A decoder and an encoder are a codec together.

use refbuf::CompositeBuf;

use crate::{Decoder, Encoder};

/// Decodes with the first.
impl<B: ?Sized, D: Decoder<B>, E> Decoder<B> for (D, E) {
    type Item = D::Item;
    type Error = D::Error;

    #[inline]
    fn decode(&mut self, input: &mut B) -> Result<Option<D::Item>, D::Error> {
        self.0.decode(input)
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<D::Item>, D::Error> {
        self.0.decode_eof(input)
    }

    fn missing(&self) -> usize {
        self.0.missing()
    }

    fn recovers(&self, error: &D::Error) -> bool {
        self.0.recovers(error)
    }
}

/// Encodes with the second.
impl<Item, D, E: Encoder<Item>> Encoder<Item> for (D, E) {
    type Error = E::Error;

    #[inline]
    fn encode(&mut self, item: Item, output: &mut CompositeBuf) -> Result<(), E::Error> {
        self.1.encode(item, output)
    }
}
