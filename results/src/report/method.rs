//! The methods behind the numbers of a report, in plain words, each with its source.

/// Subject, method and source.
pub(super) const METHOD: [[&str; 3]; 8] = [
    [
        "Deals and blocks",
        "All pairings play the same deals, and each deal is played in every seating, so that luck of the deal and of the seat \
         falls on all alike, as in duplicate bridge and duplicate whist. Such a block is the unit of every interval; a single match \
         never is, since matches on one deal are not independent.",
        "Parlett 1991, A history of card games, on duplicate whist; Cameron and Miller 2015, A practitioner’s guide to \
         cluster-robust inference",
    ],
    [
        "Intervals of points and scores",
        "The lower end of a 95% interval is the 2.5% quantile of a mean with random weights, of all deals and one more at the worst there \
         can be; the upper end is its mirror. So a worse result never gives a better bound. The worst score is 0; the worst points are \
         those of the bot’s own worst deal. There is none below ten deals, or where all but two of the deals are equal.",
        "Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable; Clopper and \
         Pearson 1934, The use of confidence or fiducial limits; Barndorff-Nielsen 1986, Inference on full or partial parameters based on \
         the standardized signed log likelihood ratio",
    ],
    [
        "Ranks",
        "Where all bots meet on every deal, any two are compared on each, so that the luck they share cancels; elsewhere opponents differ, \
         and ranks are by strength or by the rules of the format. Up to 16 deals on which they differ all signs \
         of the differences are gone through, with more it is a t test; the p values of all pairs are corrected for their number. A \
         bot’s ranks run from one more than the bots that are significantly better to the last that is not significantly worse: with \
         95% confidence all of them are right together.",
        "Fisher 1935, The design of experiments; Holm 1979, A simple sequentially rejective multiple test procedure; Klein, Wright and \
         Wieczorek 2020, A joint confidence region for an overall ranking of populations",
    ],
    [
        "Ratings",
        "One fit to all deals at once, which does not depend on their order, on one scale at all numbers of seats: every two seats of a \
         table are a duel, and the ratings are the numbers for which each bot’s expected score over its duels, with draws as half, is \
         the score that it made. For two bots that is the Elo of their score. A bot that won or lost everything has a bound. Errors \
         are those of deals, and no less than the information in the duels allows.",
        "Bradley and Terry 1952, Rank analysis of incomplete block designs; Ford 1957, Solution of a ranking problem from binary \
         comparisons; Liang and Zeger 1986, Longitudinal data analysis using generalized linear models",
    ],
    [
        "Who is certainly stronger",
        "Where all bots met equally often, the greatest of all t statistics decides. Where results choose the opponents, a wider bound \
         holds whoever met whom, and what pairs have of their own is added to the error. Where no circle of bots met, or pairs \
         contradict the ratings (p < 0.001, tested over all pairs), no bot is called stronger, and what is certain is who beats whom, by \
         betting. All claims are right together with 95% confidence.",
        "Hothorn, Bretz and Westfall 2008, Simultaneous inference in general parametric models; Abbasi-Yadkori, Pál and Szepesvári 2011, \
         Improved algorithms for linear stochastic bandits",
    ],
    [
        "Pairs",
        "Elo is 400·log₁₀ of the odds of the score; its interval that of the score. LOS, the likelihood \
         of superiority, is the chance that the bot is the better one if both were as likely beforehand and nothing else were \
         examined: it is not a test, and among many pairs some are high by chance. Marks of significance are corrected for the number of \
         pairs, so that among bots that are equal any mark at all is seen in about 5% of tournaments or fewer.",
        "Elo 1978, The rating of chessplayers; Holm 1979",
    ],
    [
        "Looking again",
        "Marks at the planned number of deals take a p value of at most 0.03 for all pairs together. Before that, and after a tournament \
         was extended, results are looked at more than once: then a mark takes an e-process by betting that comes to the number of pairs \
         over 0.02, which equal bots ever reach in 2% of tournaments at most.",
        "Ville 1939, Étude critique de la notion de collectif; Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables \
         by betting",
    ],
    [
        "Forfeits",
        "A bot that fails forfeits the match, which counts as lost. If both bots forfeit, it does not count between them. Forfeit rates have Wilson’s interval.",
        "Wilson 1927, Probable inference, the law of succession, and statistical inference",
    ],
];
