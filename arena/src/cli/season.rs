//! The points of a season on the command line.

use clap::Args;

/// The points that a season gives for the places of its tournaments.
#[derive(Args)]
pub struct SeasonPoints {
    /// Add a table of the season, with points by place in each tournament, such as 10,8,6,5
    #[arg(long, value_name = "P,P,…", value_delimiter = ',', value_parser = points)]
    pub points: Vec<f64>,
    /// With --points, count the best N tournaments of each bot
    #[arg(long, value_name = "N", requires = "points", value_parser = clap::value_parser!(u32).range(1..))]
    best: Option<u32>,
}

impl SeasonPoints {
    /// Returns the number of tournaments whose points count for a bot; `None` for all.
    pub fn best(&self) -> Option<usize> {
        self.best.map(|best| best as usize)
    }
}

fn points(text: &str) -> Result<f64, String> {
    let points = text.trim().parse().ok();
    let points = points.filter(|points: &f64| points.is_finite() && (0.0..=1e9).contains(points));
    points.ok_or_else(|| "points are numbers from 0, separated by commas".into())
}
