"""What the parameters that several estimators share are, in the words of their docstrings: each is described once."""

EVERY_ESTIMATOR = """
Parameters
----------
l1_ratio : float in [0, 1]
    Share of the L1 norm; not together with `radius`. 1 is L1 alone (Lasso), for solver="anchored" only; the gap is proved,
    but says nothing about single labels.
solver : {"anchored", "gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda"}
    Anchored dual coordinate ascent (on small problems the last digits come from dense Newton or interior point steps; L1 is
    solved by coordinate descent over columns, with working sets), or a method of the paper with `averaging`.
averaging : "auto" or an object from `cesaro.weights`
    Weights of the paper's solvers, constant within an epoch; "anchored" has its own. "auto": 1 in every epoch for "gda", whose
    output then has weights t^3, and e in epoch e for "sc-pda" and "pa-psg-sc".
anchor : "auto" or float
    The weight gamma_0 of the starting point; chosen from the data by default.
radius : float or None
    Bound on |w|, the weight of a penalised intercept included.
tol : float or None
    Stop when `relative_gap_` is at most this: the gap relative to the objective, but to no less than a thousandth of the
    objective at 0, a tenth with more than two classes. 0 or None runs all `max_iter` epochs.
max_iter : int
    Epochs at most.
batch_size : int
    Rows per step of the paper's solvers.
sampling : {"reshuffle", "replacement"}
    Order of the rows in the paper's solvers.
fit_intercept : bool
    Whether the model has an intercept.
penalize_intercept : bool
    False: the intercept is free, as in scikit-learn's SGD, Ridge and LogisticRegression. True: it is the weight of a constant
    feature `intercept_scaling`, with the L2 penalty of the others and inside the ball, as in LinearSVC. The paper's solvers
    need strong convexity in every direction, and always penalise it; a search over alpha in one pass does so too, the
    final fit does not.
intercept_scaling : float
    The constant feature: the larger, the weaker its penalty. Of no consequence for a free intercept.
random_state : int, RandomState or None
    Seeds the order of the rows.
verbose : int
    1: a progress bar on a terminal or in a notebook, the last line of it elsewhere; 2: a line on stderr for every
    evaluation.
X : array-like or sparse matrix of shape (n_samples, n_features)
    The rows.
sample_weight : array-like of shape (n_samples,) or None
    Not negative; None: all 1.

Returns
-------
self
    The fitted estimator.

References
----------
The paper's solvers: Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization,
AAAI 2021, arXiv 2012.14558.

Relatives of "anchored": Shalev-Shwartz, Zhang: Accelerated proximal stochastic dual coordinate ascent for regularized loss
minimization, ICML 2014; Lin, Mairal, Harchaoui: A universal catalyst for first-order optimization, NIPS 2015; Hsieh, Chang,
Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM, ICML 2008 (LIBLINEAR).

Relatives of coordinate descent with L1: Massias, Gramfort, Salmon: Celer: a fast solver for the lasso with dual extrapolation,
ICML 2018, arXiv 1802.07481; Bertrand, Klopfenstein, Bannier, Gidel, Massias: Beyond L1: faster and better sparse models with
skglm, NeurIPS 2022, arXiv 2204.07826; Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression, JMLR 13, 2012
(LIBLINEAR).
"""

ONE_ALPHA = """
Parameters
----------
time_limit : float or None
    Seconds for the whole fit, after which the model at hand is kept.
warm_start : bool
    Start the next fit from this one's result.
checkpoint : path or None
    A directory where `fit` keeps its state: after the first epoch, then so rarely that it costs 5 % of the time at
    most, and at the end. A later fit of the same data with the same parameters goes on from there and gives the
    same bits; one that had finished is returned as it was, or goes on if it is asked for more: a smaller `tol`, a larger
    `max_iter`. Another run's checkpoint is refused.

Attributes
----------
objective_, lower_bound_, dual_gap_, relative_gap_ : float or ndarray of shape (n_models,)
    Value reached, proved lower bound of the optimum, their difference, and that difference over
    max(objective, 1e-3 objective at w = 0), of one class against the rest max(objective, 0.1 objective at w = 0); one
    model for two classes or one target, else one for each.
history_ : dict of arrays
    epoch, time, objective, lower_bound, active; with several models also `model`.
n_features_in_, feature_names_in_ : as in scikit-learn
"""

SEARCH = """
Parameters
----------
alphas : int or sequence of floats
    The values to try. A number k means k of them, evenly spaced in the logarithm from 0.1 to 1/(10 n), where n is
    the number of rows or the sum of their weights.
l1_ratio : float or sequence of floats in [0, 1]
    Share of the L1 norm; each of several is searched over all alphas.
time_limit : float or None
    Seconds for the whole search, after which what is at hand is kept.
warm_start : bool
    Start the last fit, to all rows, from the one before.
n_jobs : int or None
    Threads; the result does not depend on it.
groups : array-like of shape (n_samples,) or None
    Which rows belong together, for a `cv` that keeps groups whole.

Attributes
----------
alphas_ : ndarray of shape (n_alphas,)
alpha_ : float
    The best of them; the first of equals. At the edge of the grid a warning says so.
l1_ratio_ : float
    The best share of L1, or the one that was given.
best_score_ : float
    Its mean score over the folds.
search_ : str
    How the search was done, for the best `l1_ratio_`: "shared epochs", or "one by one: " and why.
cv_results_ : dict
    param_alpha, param_l1_ratio if several were given, params, split<k>_test_score, mean_test_score,
    std_test_score, rank_test_score.
"""

CLASSIFIER = """
Parameters
----------
loss : {"hinge", "squared_hinge", "log_loss", "modified_huber"}
    Named and scaled as in scikit-learn.
epsilon : float
    Not used by classification losses; kept so that both estimators share their parameters.
class_weight : dict, "balanced" or None
    Factors of the sample weights, by class.
y : array-like of shape (n_samples,)
    Their labels.
"""

REGRESSOR = """
Parameters
----------
loss : {"squared_error", "absolute_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "quantile"}
    Named and scaled as in SGDRegressor; squared_error is (p - y)^2 / 2, absolute_error |p - y| / 2, the quantile loss of the
    median. Where a loss grows like |p - y|, `alpha` is in units of the targets' standard deviation s, so that y in other
    units gives the same model: the L2 penalty is alpha / s, of huber alpha min(1, epsilon / s).
epsilon : float
    Where huber turns linear; what epsilon_insensitive and its square forgive.
quantile : float in (0, 1)
    Which quantile loss="quantile" estimates.
y : array-like of shape (n_samples,) or (n_samples, n_targets)
    Their targets.
"""
