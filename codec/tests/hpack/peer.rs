//! Against another implementation, in both directions and over many blocks.
