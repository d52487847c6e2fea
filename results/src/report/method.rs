//! The methods behind the numbers of a report, in plain words, each with its source.

/// Subject, method and source.
pub(super) const METHOD: [[&str; 3]; 9] = [
    [
        "Deals and blocks",
        "All pairings play the same deals, and each deal is played in every seating, so that luck of the deal and of the seat \
         falls on all alike. Such a block is the unit of every interval; a single match never is, since matches on one deal \
         are not independent.",
        "Parlett 1999, The Oxford History of Board Games, on duplicate play; Cameron and Miller 2015, A practitioner’s guide to \
         cluster-robust inference",
    ],
    [
        "Intervals of points",
        "Points per match and differences of points are means over deals, with Student’s t interval at 95%.",
        "Student 1908, The probable error of a mean",
    ],
    [
        "Ratings at tables of two",
        "One fit to all matches at once, which does not depend on their order: Bradley and Terry’s model with Davidson’s ties \
         and a term for sitting first. A weak prior keeps a bot finite that lost everything; its rating is then shown as a bound.",
        "Bradley and Terry 1952, Rank analysis of incomplete block designs; Davidson 1970, On extending the Bradley-Terry model to \
         accommodate ties",
    ],
    [
        "Ratings at larger tables",
        "The same for orders of three and more: Plackett and Luce’s model with ties.",
        "Plackett 1975, The analysis of permutations; Turner and others 2020, Modelling rankings in R: the PlackettLuce package",
    ],
    [
        "Intervals of ratings and ranks",
        "Deals are drawn anew with replacement, and the model is fitted again to each such sample: ratings, ranks and the chance \
         to be first vary as much as other deals would have made them vary.",
        "Efron and Tibshirani 1993, An introduction to the bootstrap",
    ],
    [
        "Pairs",
        "Elo is 400·log₁₀ of the odds of the score. LOS is the likelihood that the bot is the better one. Marks of significance are \
         corrected for the number of pairs, so that among bots that are equal any mark at all is seen in at most 5% of \
         tournaments.",
        "Elo 1978, The rating of chessplayers; Holm 1979, A simple sequentially rejective multiple test procedure",
    ],
    [
        "Circles",
        "The cyclic share is what no order of strength explains. Nash weights are the mix of bots that no bot beats on average: \
         copies of a bot change nothing in them.",
        "Jiang, Lim, Yao and Ye 2011, Statistical ranking and combinatorial Hodge theory; Balduzzi and others 2018, Re-evaluating \
         evaluation",
    ],
    [
        "Luck of the deal",
        "The points effect of a bot is what is left of its points after the deal and the seat are taken out by least squares, \
         with errors clustered by deal.",
        "Frisch and Waugh 1933, Partial time regressions as compared with individual trends; Cameron and Miller 2015",
    ],
    [
        "Forfeits",
        "A bot that fails forfeits the match, which counts as lost. The interval of how often that happens is Wilson’s.",
        "Wilson 1927, Probable inference, the law of succession, and statistical inference",
    ],
];
