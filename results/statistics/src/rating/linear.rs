//! Small dense symmetric systems of equations, solved by Cholesky's decomposition.

/// A symmetric matrix, of which only the lower triangle is kept up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

/// The lower triangular factor of a positive definite matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factor(Symmetric);

impl Symmetric {
    /// All zero.
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Sets all cells to zero.
    pub(crate) fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    /// Adds to a cell and to its mirror image.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row.max(column) * self.size + row.min(column)] += value;
    }

    /// A cell.
    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row.max(column) * self.size + row.min(column)]
    }

    /// Its factor; none if the matrix is not positive definite, beyond rounding.
    pub(crate) fn factor(&self) -> Option<Factor> {
        let n = self.size;
        let mut low = self.clone();
        for i in 0..n {
            for j in 0..=i {
                let (above, row) = low.cells.split_at(i * n);
                let before = if j < i { &above[j * n..j * n + j] } else { &row[..j] };
                let rest = row[j] - row[..j].iter().zip(before).map(|(a, b)| a * b).sum::<f64>();
                if j == i && (rest.is_nan() || rest <= 1e-13 * self.get(i, i)) {
                    return None;
                }
                low.cells[i * n + j] = if j == i { rest.sqrt() } else { rest / low.cells[j * n + j] };
            }
        }
        Some(Factor(low))
    }

    /// Solves the system for the vector. If the matrix is singular, its diagonal is raised until it is not.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let largest = (0..self.size).map(|i| self.get(i, i)).fold(1e-12, f64::max);
        let mut raise = 0.0;
        loop {
            let mut raised = self.clone();
            (0..self.size).for_each(|i| raised.add(i, i, raise));
            if let Some(factor) = raised.factor() {
                return factor.solve(vector);
            }
            raise = if raise == 0.0 { 1e-12 * largest } else { raise * 100.0 };
        }
    }
}

impl Factor {
    /// Solves the system for the vector with the factored matrix.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let n = self.0.size;
        let low = &self.0.cells;
        let mut x = vector.to_vec();
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| low[i * n + j] * x[j]).sum();
            x[i] = (x[i] - sum) / low[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|j| low[j * n + i] * x[j]).sum();
            x[i] = (x[i] - sum) / low[i * n + i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_times_the_matrix_gives_the_vector_back() {
        let mut matrix = Symmetric::zero(3);
        for (i, j, value) in [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 5.0), (2, 0, -1.0), (2, 1, 1.5), (2, 2, 3.0)] {
            matrix.add(i, j, value);
        }
        let x = matrix.solve(&[1.0, -2.0, 0.5]);
        let back: Vec<f64> = (0..3).map(|i| (0..3).map(|j| matrix.get(i, j) * x[j]).sum()).collect();
        assert!(back.iter().zip([1.0, -2.0, 0.5]).all(|(a, b)| (a - b).abs() < 1e-12), "{back:?}");
    }

    #[test]
    fn a_singular_matrix_has_no_factor_but_an_answer() {
        let mut matrix = Symmetric::zero(2);
        (0..2).for_each(|i| matrix.add(i, i, 1.0));
        matrix.add(0, 1, -1.0);
        assert!(matrix.factor().is_none());
        let x = matrix.solve(&[1.0, -1.0]);
        assert!((x[0] - x[1] - 1.0).abs() < 1e-3 && x.iter().all(|x| x.is_finite()), "{x:?}");
    }
}
