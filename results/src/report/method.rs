//! Methods behind the numbers of a report, in plain words, each with its source.

/// Methods, each as subject, description and source.
pub(super) const METHOD: [[&str; 3]; 7] = [
    [
        "Deals and blocks",
        "All pairings play the same deals, and each deal is played in every seating. So luck of the deal and of the seat affects all \
         bots equally, as in duplicate bridge and duplicate whist. Such a block is the unit of every interval. A single match is not, \
         since matches on one deal are not independent.",
        "Parlett 1991, A history of card games, on duplicate whist; Cameron and Miller 2015, A practitioner’s guide to \
         cluster-robust inference",
    ],
    [
        "Intervals of points and scores",
        "Scores: add one deal with the worst possible result, and take the mean of all deals with random weights: the lower end of a 95% \
         interval is the 2.5% quantile of that mean. The upper end is its mirror. So a worse result never gives a better bound. Points: a t \
         interval, stretched towards the longer tail. Leads: all differences that the test of who is ahead does not reject. Points have no \
         interval below ten deals, or if at most two deals differ from the others.",
        "Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable; Hall 1992, On \
         the removal of skewness by transformation; Robinson 1982, Saddlepoint approximations for permutation tests and confidence \
         intervals",
    ],
    [
        "Who is ahead",
        "If two bots met the same other opponents on a deal, their points per match are compared, so the luck that they share cancels \
         out. On any other deal, only their points in matches with each other are compared. A bot is ahead if a test rejects a mean \
         difference of 0: the test swaps the two bots on single deals in all possible ways, and asks how many ways give a difference as \
         large. The p values are corrected for the number of pairs. A bot’s best rank is just below the bots that are ahead of it, and its \
         worst rank is just above those that it is ahead of. With 95% confidence, all these statements are true together. If all bots meet \
         on every deal, the order is by points, otherwise by the rules of the format, or by who is ahead of whom and then by Elo.",
        "Fisher 1935, The design of experiments; Holm 1979, A simple sequentially rejective multiple test procedure; Klein, Wright and \
         Wieczorek 2020, A joint confidence region for an overall ranking of populations",
    ],
    [
        "Ratings",
        "Ratings come from one fit to all deals; their order does not matter, and the scale is the same for any number of seats. Any two \
         seats at a table are a duel. The ratings are the numbers for which each bot’s expected score over its duels, with draws as half, \
         equals its actual score. They are shown above the average of the field, or above the anchor, and decide nothing. A bot that won or \
         lost everything has a bound instead. An interval spans that of the mean over deals and that of the bot’s own score.",
        "Bradley and Terry 1952, Rank analysis of incomplete block designs; Ford 1957, Solution of a ranking problem from binary \
         comparisons; Liang and Zeger 1986, Longitudinal data analysis using generalized linear models",
    ],
    [
        "Pairs",
        "Elo is 400·log₁₀ of the odds of the score, and its interval comes from that of the score. LOS, the likelihood of superiority, is \
         the chance that the bot is the better one, if both were equally likely to be so beforehand and this pair were the only one. It is \
         not a test: among many pairs, some are high by chance.",
        "Elo 1978, The rating of chessplayers",
    ],
    [
        "Looking again",
        "Bots are judged when all planned deals are played. A bot is ahead if its p value, adjusted for the number of pairs, is at most \
         0.035. It then stays ahead. After each extension, the other pairs are judged by what is left of the error rate: together less than \
         0.01, and 0.005 for the first doubling. So equal bots are told apart in at most 5% of tournaments, however often these are extended.",
        "Lan and DeMets 1983, Discrete sequential boundaries for clinical trials",
    ],
    [
        "Forfeits",
        "A bot that fails forfeits the match, which counts as a loss. If both bots forfeit, the match does not count between them. Forfeit \
         rates have Wilson’s interval.",
        "Wilson 1927, Probable inference, the law of succession, and statistical inference",
    ],
];
