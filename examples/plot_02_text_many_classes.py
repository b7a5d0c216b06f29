"""
Text with many classes
======================

Which package is a function from, judged by its documentation alone? The texts are the docstrings of SciPy and
scikit-learn, so that nothing has to be downloaded: some fifteen hundred texts and twenty classes. The whole job: words to
numbers, alpha by cross-validation, certified labels, scikit-learn's classifiers beside it, files.
"""

# %%
# A text is the docstring of a public function or class; its class is the package that it belongs to. We drop the
# names of the packages themselves, which would give the answer away, and packages with fewer than ten texts.

import importlib
import re
import tempfile
import time
import warnings

import joblib
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

import cesaro
from cesaro import DualAveragingClassifier, DualAveragingClassifierCV

SCIPY = (
    "cluster fft integrate interpolate io linalg ndimage optimize signal sparse spatial "
)
SCIPY += "special stats"
SKLEARN = "cluster datasets decomposition ensemble feature_extraction linear_model metrics "
SKLEARN += "model_selection neighbors preprocessing svm tree"
SCIPY, SKLEARN = SCIPY.split(), SKLEARN.split()
packages = [f"scipy.{name}" for name in SCIPY] + [f"sklearn.{name}" for name in SKLEARN]


def documentation(package):
    """The docstrings of what a package offers, without the names of packages."""
    module = importlib.import_module(package)
    found = {getattr(vars(module).get(name), "__doc__", None) for name in module.__all__}
    hidden = re.compile(rf"\b({'|'.join([*SCIPY, *SKLEARN, 'scipy', 'sklearn'])})\b")
    return [hidden.sub(" ", text) for text in found if text and len(text) > 200]


texts, labels = [], []
for package in packages:
    pages = sorted(documentation(package))
    if len(pages) >= 10:
        texts += pages
        labels += [package] * len(pages)
train, test, y_train, y_test = train_test_split(
    texts, labels, test_size=0.3, stratify=labels, random_state=0
)
print(f"{len(texts)} texts, {len(set(labels))} classes")

# %%
# Words become numbers
# --------------------
# The vectoriser learns its words from the training texts alone.

words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"[A-Za-z]{3,}", min_df=3)
X, X_test = words.fit_transform(train), words.transform(test)
print(f"{X.shape[0]} rows, {X.shape[1]} words")

# %%
# How strong a penalty
# --------------------
# The search fits every alpha on every fold, and the best one on all rows. On text good values lie between 1e-2 and 1e-5.
# The loss is that of ``LinearSVC``, the squared hinge, and so is the intercept. ``tol=1e-6`` is for certified labels: where
# the models of a search share their epochs, only the last fit pays for it. The first search of an installation compiles its
# kernels, which takes several seconds: a short one comes first, so that no time below contains that.

ALPHAS = np.geomspace(1e-2, 1e-5, 7)
LIKE_SVC = {"loss": "squared_hinge", "penalize_intercept": True, "random_state": 0}


def seconds(model):
    """CPU time of a fit."""
    begin = time.process_time()
    model.fit(X, y_train)
    return time.process_time() - begin


seconds(DualAveragingClassifierCV(ALPHAS[:2], cv=2, **LIKE_SVC))
search = DualAveragingClassifierCV(ALPHAS, cv=5, tol=1e-6, **LIKE_SVC)
took = seconds(search)
print(f"{took:.1f} s for {5 * len(ALPHAS)} fits and the last one ({search.search_})")
print(f"alpha {search.alpha_:.1e}, cross-validated accuracy {search.best_score_:.3f}")

# %%
# Scores that differ by less than they do between the folds are equal: any of these alphas would do, and which of them is
# the best depends on chance. From here on it is 1e-4.

mean, std = (search.cv_results_[f"{kind}_test_score"] for kind in ("mean", "std"))
for alpha, score, spread in zip(search.alphas_, mean, std, strict=True):
    print(f"alpha {alpha:.1e}: {score:.3f} +- {spread:.3f}")
alpha = 1e-4

# %%
# Labels that are certified
# -------------------------
# One class against the rest, each with a certificate of its own; the gap is the largest of them. At the default,
# ``tol=1e-3``, few labels are certified to be those of the exact optimum, or none. Take ``tol=1e-6``.

for loss in ("squared_hinge", "hinge"):
    for tol in (1e-3, 1e-4, 1e-6, 1e-8):
        settings = LIKE_SVC | {"loss": loss, "tol": tol}
        model = DualAveragingClassifier(alpha=alpha, **settings)
        took = min(seconds(model) for _ in range(3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it warns if few are certified
            answers, certified = model.predict_certified(X_test)
        print(
            f"{loss}, tol {tol:g}: {took:.2f} s, {certified.mean():.0%} certified, "
            f"accuracy {np.mean(answers == y_test):.3f}"
        )

# %%
# Certified is not correct: the optimum errs, too. But the labels that a proof leaves open are the close calls, and these
# are wrong more often: they are the ones to look at by hand. With ``tol=1e-4``, which leaves more of them:

loose = DualAveragingClassifier(alpha=alpha, tol=1e-4, **LIKE_SVC).fit(X, y_train)
labels, certified = loose.predict_certified(X_test)
right = labels == y_test
print(f"certified: {certified.sum()} labels, accuracy {right[certified].mean():.3f}")
print(
    f"not certified: {(~certified).sum()} labels, accuracy {right[~certified].mean():.3f}"
)
labels = search.predict(X_test)

# %%
# Beside it
# ---------
# ``LinearSVC`` with C = 1/(alpha n) is the same model, and its default, C = 1, the one with alpha = 1/n.
# ``SGDClassifier`` has the hinge by default.

n = X.shape[0]
peers = {
    "cesaro, squared hinge, tol 1e-3": DualAveragingClassifier(alpha=alpha, **LIKE_SVC),
    "cesaro, squared hinge, tol 1e-6": DualAveragingClassifier(
        alpha=alpha, tol=1e-6, **LIKE_SVC
    ),
    "cesaro, hinge, tol 1e-3": DualAveragingClassifier(alpha=alpha, random_state=0),
    "LinearSVC, the same model": LinearSVC(C=1 / (alpha * n), random_state=0),
    "LinearSVC, its defaults": LinearSVC(random_state=0),
    "SGDClassifier, hinge": SGDClassifier(alpha=alpha, random_state=0),
}
for name, peer in peers.items():
    took = min(seconds(peer) for _ in range(3))
    print(f"{name:32} {took:.2f} s, accuracy {peer.score(X_test, y_test):.3f}")

# %%
# On so few texts every one of them takes some hundredths of a second, and they are equally accurate: two of the test
# texts are a difference of 0.004. Here one does not choose cesaro for speed or accuracy. What ``tol=1e-6`` pays for is the
# certificate: how far the model is from the optimum, and which labels are settled. For many classes and long texts see the
# benchmarks, where the time differs too.

# %%
# Keep it
# -------
# joblib keeps the vectoriser and the classifier together, in one file. It is a pickle: load it only from where you trust.

with tempfile.TemporaryDirectory() as folder:
    joblib.dump(
        Pipeline([("words", words), ("model", search)]), f"{folder}/pipeline.joblib"
    )
    pipe = joblib.load(f"{folder}/pipeline.joblib")
print(pipe.predict(["The eigenvalues of a symmetric matrix, by the method of Lanczos."]))

# %%
# ``cesaro.save`` writes numbers and no code, which is safe to load from anywhere. It keeps the classifier alone, so the
# vectoriser needs a file of its own (joblib's, or skops').

with tempfile.TemporaryDirectory() as folder:
    cesaro.save(search, f"{folder}/model.safetensors")
    joblib.dump(words, f"{folder}/words.joblib")
    steps = [
        ("words", joblib.load(f"{folder}/words.joblib")),
        ("model", cesaro.load(f"{folder}/model.safetensors")),
    ]
print("the same labels:", (Pipeline(steps).predict(test) == labels).all())

# %%
# Where it errs
# -------------
# The confusion matrix: where two packages are mixed up, they do similar things (linear algebra, sparse or dense;
# clusters, in both libraries).

names = [
    package.replace("sklearn", "sk").replace("scipy", "sp") for package in search.classes_
]
figure, ax = plt.subplots(figsize=(8.2, 7.4))
shown = ConfusionMatrixDisplay.from_predictions(
    y_test,
    labels,
    labels=search.classes_,
    normalize="true",
    include_values=False,
    cmap="Blues",
    ax=ax,
)
ax.set_xticks(range(len(names)), names, rotation=90)
ax.set_yticks(range(len(names)), names)
ax.grid(False)
ax.set(title="Which package is this documentation from?", xlabel="answer", ylabel="truth")
plt.show()

# %%
# And the words that decide, which are the largest weights of a class:

vocabulary = words.get_feature_names_out()
for name in ("scipy.signal", "scipy.stats", "sklearn.cluster", "sklearn.linear_model"):
    weights = search.coef_[list(search.classes_).index(name)]
    print(f"{name:22}", ", ".join(vocabulary[np.argsort(-weights)[:6]]))
