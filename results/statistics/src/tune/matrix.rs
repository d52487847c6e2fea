//! Matrices with the few operations that a Gaussian process needs.

use std::ops::{Index, IndexMut};

/// A matrix, stored row by row.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// Returns the matrix with these values, by row and column.
    pub(super) fn from_fn(
        rows: usize,
        columns: usize,
        mut value: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let values = places.map(|(i, j)| value(i, j)).collect();
        Self { columns, values }
    }

    /// Returns the rows in order.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.columns)
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..][..self.columns]
    }

    /// Returns the product with a vector.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.rows().map(|row| dot(row, vector)).collect()
    }

    /// Returns the diagonal of a square matrix.
    pub(super) fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.columns).map(|i| self[(i, i)])
    }

    /// Returns the Cholesky factor L of a positive semidefinite matrix L Lᵀ. Directions without variance are left out: their pivots are 0.
    pub(super) fn root(&self) -> Self {
        let least = 1e-12 * self.diagonal().fold(0.0, f64::max);
        let mut root = Self::from_fn(self.columns, self.columns, |_, _| 0.0);
        for i in 0..self.columns {
            for j in 0..=i {
                let rest = self[(i, j)] - dot(&root.row(i)[..j], &root.row(j)[..j]);
                root[(i, j)] = match root[(j, j)] {
                    _ if i == j && rest <= least => 0.0,
                    _ if i == j => rest.sqrt(),
                    pivot if pivot > 0.0 => rest / pivot,
                    _ => 0.0,
                };
            }
        }
        root
    }

    /// Returns x with L x = b for a lower triangular matrix L without zeros on its diagonal.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len());
        for (i, b) in b.iter().enumerate() {
            let row = self.row(i);
            x.push((b - dot(&row[..i], &x)) / row[i]);
        }
        x
    }

    /// Returns x with Lᵀ x = b for a lower triangular matrix L without zeros on its diagonal.
    pub(super) fn solve_transposed(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in (0..x.len()).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let found = x[i];
            x[..i]
                .iter_mut()
                .zip(row)
                .for_each(|(x, value)| *x -= value * found);
        }
        x
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.columns + j]
    }
}

/// Returns the scalar product of two vectors.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
