"""
Text with two dozen classes
===========================

Which package is a function from, judged by its documentation alone? The texts are the docstrings of SciPy and
scikit-learn, so that nothing has to be downloaded: some two thousand texts and two dozen classes, in a pipeline.
"""

# %%
# A text is the docstring of a public function or class; its class is the package that it belongs to. We drop the
# names of the packages themselves, which would give the answer away.

import importlib
import re
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from cesaro import DualAveragingClassifier

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
    texts += pages
    labels += [package] * len(pages)
train, test, y_train, y_test = train_test_split(
    texts, labels, test_size=0.3, stratify=labels, random_state=0
)
print(f"{len(texts)} texts, {len(packages)} classes")

# %%
# One class against the rest, each with a certificate of its own. The classes differ in size, hence ``class_weight``.

words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"[A-Za-z]{3,}", min_df=3)
pipe = make_pipeline(
    words, DualAveragingClassifier(alpha=1e-3, class_weight="balanced", random_state=0)
)
begin = time.perf_counter()
pipe.fit(train, y_train)
seconds = time.perf_counter() - begin
model = pipe[-1]
print(f"{len(words.vocabulary_)} words, {seconds:.1f} s with the reading of the words")
print(
    f"accuracy {pipe.score(test, y_test):.2f}, "
    f"worst certified gap of a class {model.relative_gap_.max():.0e}"
)

# %%
# The confusion matrix: where two packages are mixed up, they do similar things (linear algebra, sparse or dense;
# clusters, in both libraries).

names = [
    package.replace("sklearn", "sk").replace("scipy", "sp") for package in model.classes_
]
figure, ax = plt.subplots(figsize=(8.2, 7.4))
shown = ConfusionMatrixDisplay.from_predictions(
    y_test,
    pipe.predict(test),
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
for name in ("scipy.signal", "scipy.stats", "sklearn.tree", "sklearn.linear_model"):
    weights = model.coef_[list(model.classes_).index(name)]
    print(f"{name:22}", ", ".join(vocabulary[np.argsort(-weights)[:6]]))
