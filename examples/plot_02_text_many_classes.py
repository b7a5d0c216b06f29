"""
Text with many classes
======================

Which package is a function from, judged by its documentation alone? The texts are the docstrings of SciPy and
scikit-learn, so that nothing has to be downloaded: some fifteen hundred texts and twenty classes. The whole job: words to
numbers, alpha by cross-validation, certified labels, a file, a pipeline.
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
from sklearn.pipeline import make_pipeline

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
# The search fits every alpha on every fold, and the best one on all rows. The classes differ in size, hence
# ``class_weight``. The first search and the first fit of a process load, or compile, their kernels: a short search comes
# first, so that no time below contains that.

ALPHAS = np.geomspace(1e-2, 1e-4, 7)
PLAIN = {"class_weight": "balanced", "random_state": 0}
DualAveragingClassifierCV(alphas=ALPHAS[:2], cv=2, **PLAIN).fit(X, y_train)

begin = time.perf_counter()
search = DualAveragingClassifierCV(alphas=ALPHAS, cv=3, **PLAIN).fit(X, y_train)
seconds = time.perf_counter() - begin
print(f"{seconds:.1f} s for {3 * len(ALPHAS)} fits and the last one ({search.search_})")
print(f"alpha {search.alpha_:.1e}, cross-validated accuracy {search.best_score_:.3f}")

# %%
# Labels that are certified
# -------------------------
# One class against the rest, each with a certificate of its own; the gap is the largest of them. At the default,
# ``tol=1e-3``, few labels are proved to be those of the exact optimum, if any. For certified labels take ``tol=1e-6``.

for tol in (1e-3, 1e-4, 1e-6):
    model = DualAveragingClassifier(alpha=search.alpha_, tol=tol, **PLAIN)
    begin = time.perf_counter()
    model.fit(X, y_train)
    seconds = time.perf_counter() - begin
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns if no label is certified
        labels, certified = model.predict_certified(X_test)
    print(
        f"tol {tol:g}: {seconds:.2f} s, gap {model.relative_gap_.max():.0e}, "
        f"{certified.mean():.0%} certified, accuracy {np.mean(labels == y_test):.3f}"
    )

# %%
# Beside it
# ---------
# scikit-learn's ``SGDClassifier`` at its defaults, the same loss and the same alpha. How far from the optimum it ends,
# it cannot say.

sgd = SGDClassifier(alpha=search.alpha_, **PLAIN)
begin = time.perf_counter()
sgd.fit(X, y_train)
seconds = time.perf_counter() - begin
print(f"SGDClassifier: {seconds:.2f} s, accuracy {sgd.score(X_test, y_test):.3f}")

# %%
# Keep it
# -------
# The classifier goes into a file that holds numbers and no code, the vectoriser into one of joblib's (or skops').
# Loaded and put together they are a pipeline that takes texts.

with tempfile.TemporaryDirectory() as folder:
    cesaro.save(model, f"{folder}/model.safetensors")
    joblib.dump(words, f"{folder}/words.joblib")
    pipe = make_pipeline(
        joblib.load(f"{folder}/words.joblib"), cesaro.load(f"{folder}/model.safetensors")
    )
print("the same labels:", (pipe.predict(test) == labels).all())
print(pipe.predict(["The eigenvalues of a symmetric matrix, by the method of Lanczos."]))

# %%
# Where it errs
# -------------
# The confusion matrix: where two packages are mixed up, they do similar things (linear algebra, sparse or dense;
# clusters, in both libraries).

names = [
    package.replace("sklearn", "sk").replace("scipy", "sp") for package in model.classes_
]
figure, ax = plt.subplots(figsize=(8.2, 7.4))
shown = ConfusionMatrixDisplay.from_predictions(
    y_test,
    labels,
    labels=model.classes_,
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
    weights = model.coef_[list(model.classes_).index(name)]
    print(f"{name:22}", ", ".join(vocabulary[np.argsort(-weights)[:6]]))
