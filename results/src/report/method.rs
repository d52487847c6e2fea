//! The methods behind the numbers of a report, in plain words, each with its source.

/// Subject, method and source.
pub(super) const METHOD: [[&str; 3]; 9] = [
    [
        "Deals and blocks",
        "All pairings play the same deals, and each deal is played in every seating, so that luck of the deal and of the seat \
         falls on all alike, as in duplicate bridge and duplicate whist. Such a block is the unit of every interval; a single match \
         never is, since matches on one deal are not independent.",
        "Parlett 1991, A history of card games, on duplicate whist; Cameron and Miller 2015, A practitioner’s guide to \
         cluster-robust inference",
    ],
    [
        "Intervals of points",
        "Points per match and differences of points are means over deals. Each end of their 95% interval is the further one of two: \
         by effective trials between the least and the most points there can be, and by a t statistic freed of its skewness. There is \
         none below ten deals.",
        "Korn and Graubard 1998, Confidence intervals for proportions with small expected number of positive counts estimated from \
         survey data; Hall 1992, On the removal of skewness by transformation",
    ],
    [
        "Ranks",
        "Any two bots are compared on each deal, so that the luck they share cancels. Up to 16 deals on which they differ all signs \
         of the differences are gone through, with more it is a t test; the p values of all pairs are corrected for their number. A \
         bot’s ranks run from one more than the bots that are significantly better to the last that is not significantly worse: with \
         95% confidence all of them are right together.",
        "Fisher 1935, The design of experiments; Holm 1979, A simple sequentially rejective multiple test procedure; Klein, Wright and \
         Wieczorek 2020, A joint confidence region for an overall ranking of populations",
    ],
    [
        "Ratings at tables of two",
        "One fit to all matches at once, which does not depend on their order: Bradley and Terry’s model with Davidson’s ties \
         and a term for sitting first. A weak prior keeps a bot finite that lost everything; no figure shows it, since such a bot has \
         a bound instead, by the deals on which one of two bots won all.",
        "Bradley and Terry 1952, Rank analysis of incomplete block designs; Davidson 1970, On extending the Bradley-Terry model to \
         accommodate ties; Clopper and Pearson 1934, The use of confidence or fiducial limits",
    ],
    [
        "Ratings at larger tables",
        "The same for orders of three and more: Plackett and Luce’s model with ties.",
        "Plackett 1975, The analysis of permutations; Turner and others 2020, Modelling rankings in R: the PlackettLuce package",
    ],
    [
        "Intervals of ratings",
        "A difference of strengths is within its interval if the likelihood with that difference is not too far below the greatest, on \
         a scale by how much the deals differ from each other. Nothing is resampled. Such an interval leans to the side where the \
         likelihood is flat.",
        "Rotnitzky and Jewell 1990, Hypothesis testing of regression parameters in semiparametric generalized linear models for \
         cluster correlated data",
    ],
    [
        "Pairs",
        "Elo is 400·log₁₀ of the odds of the score; the interval of a score is that of effective trials, as above. LOS, the likelihood \
         of superiority, is the chance that the bot is the better one if both were as likely beforehand and nothing else were \
         examined: it is no test, and among many pairs some are high by chance. Marks of significance are corrected for the number of \
         pairs, so that among bots that are equal any mark at all is seen in about 5% of tournaments or fewer.",
        "Elo 1978, The rating of chessplayers; Holm 1979",
    ],
    [
        "While a tournament runs",
        "An interval that is read again and again is wrong far more often than one that is read once. What is decided at any number of \
         looks comes from confidence sequences by betting, at 5% for all pairs together.",
        "Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting",
    ],
    [
        "Forfeits",
        "A bot that fails forfeits the match, which counts as lost. The interval of how often that happens is Wilson’s.",
        "Wilson 1927, Probable inference, the law of succession, and statistical inference",
    ],
];
