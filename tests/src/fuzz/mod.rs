//! The bodies of the fuzz targets, which do something with arbitrary bytes; the tests run them as well.

pub mod replies;
pub mod wire;

/// Bytes that decide what happens, one after the other.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Nothing is read yet.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// True if all are read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte, and 0 when all are read.
    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// A number in `0..bound` that the next byte decides.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// One of the items.
    pub fn pick<'b, T>(&mut self, items: &'b [T]) -> &'b T {
        &items[self.below(items.len())]
    }

    /// So many bytes, or as many as are left.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, left) = self.0.split_at(count.min(self.0.len()));
        self.0 = left;
        taken
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        self.take(usize::MAX)
    }
}
