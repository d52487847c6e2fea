//! `arena plan` on the command line.

use arena_statistics::power::Difference;
use clap::Args;

use super::SpecArgs;

/// `arena plan`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Planning {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Measure for this many seconds how long matches take and how much deals differ; 0 to measure nothing
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,
    /// Show how many deals it takes to see a difference of X: 20 or 20elo for Elo, 1.5points for points per match
    #[arg(long, value_name = "X", value_parser = difference, allow_hyphen_values = true)]
    pub to_see: Option<Difference>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const HOW: &str = "--to-see: after this many deals the 95 % interval of two bots that differ by X excludes \"equal\" with a \
probability of 80 %. The spread of deals is measured on the deals that finish within --seconds.";

/// A difference, as a text has it.
fn difference(text: &str) -> Result<Difference, String> {
    let text = text.trim().to_lowercase();
    let (number, unit): (&str, fn(f64) -> Difference) =
        match (text.strip_suffix("elo"), text.strip_suffix("points")) {
            (_, Some(points)) => (points, Difference::Points),
            (elo, None) => (elo.unwrap_or(&text), Difference::Elo),
        };
    match number.trim().parse::<f64>() {
        Ok(size) if size > 0.0 && size.is_finite() => Ok(unit(size)),
        Ok(_) => Err("a difference must be more than 0".into()),
        Err(_) => Err("write Elo, as 20 or 20elo, or points in a match, as 1.5points".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_in_elo_or_points() {
        for text in ["20", "20elo", "20 Elo", " 20.0elo "] {
            assert_eq!(difference(text), Ok(Difference::Elo(20.0)), "{text}");
        }
        for text in ["1.5points", "1.5 points", "1.5POINTS"] {
            assert_eq!(difference(text), Ok(Difference::Points(1.5)), "{text}");
        }
        for text in [
            "",
            "elo",
            "points",
            "20%",
            "20 wins",
            "1,5points",
            "20 elo points",
        ] {
            assert!(
                difference(text).unwrap_err().contains("1.5points"),
                "{text}"
            );
        }
        for text in ["0", "-20", "-1points", "inf", "NaN", "1e999"] {
            assert_eq!(
                difference(text),
                Err("a difference must be more than 0".into()),
                "{text}"
            );
        }
    }
}
