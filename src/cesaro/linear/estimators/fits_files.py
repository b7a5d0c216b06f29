"""`fit_file`: the rows of a file that may be larger than memory."""

from abc import ABC, abstractmethod
from numbers import Real
from os import PathLike
from typing import Self

import numpy as np
from joblib import effective_n_jobs

from cesaro.linear.estimators.all_or_nothing import all_or_nothing
from cesaro.linear.estimators.base import LinearModel
from cesaro.linear.estimators.parameters import check_together
from cesaro.linear.estimators.sklearn_compat import _fit_context
from cesaro.linear.out_of_core.csr_store import Store
from cesaro.linear.out_of_core.readers import cache_folder, columns, open_store
from cesaro.linear.problem.block_order import STATE, Layout, choose

Path = str | PathLike[str]


class FitsFiles(LinearModel, ABC):
    """An estimator of one alpha, which can be fitted to files."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_file(
        self,
        path: Path,
        *,
        memory: float = 1e9,
        n_features: int | None = None,
        label: str = "label",
        cache: Path | None = None,
    ) -> Self:
        """Fit to the rows of a file that may be larger than memory.

        Where a quarter of `memory` holds all rows the result is that of `fit` on X in the same float type, to the bit:
        float32 if that has the very numbers of the file, else float64. (With L1, half of `memory` has to hold about 100
        bytes a row as well.)

        Parameters
        ----------
        path : str or path
            svmlight text (plain, gzip, bzip2, xz), Parquet, Arrow or CSV (columns of numbers, and one called `label`).
        memory : float
            Bytes of private memory, beside the weights, that the fit may take.
        n_features : int or None
            Columns of a svmlight file; by default its largest index.
        label : str
            The column of a table that holds the labels or targets. Labels may be words.
        cache : str, path or None
            Folder for the parsed form, which later fits reuse; by default the user's cache.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_together(self)
        with all_or_nothing(self):
            store = self._open(path, n_features, label, cache)
            return self._fit_store(store, memory, cache)

    @abstractmethod
    def _fit_store(self, store: Store, memory: float, cache: Path | None) -> Self:
        """Fit to the rows of a store, within `memory`."""

    def _open(self, path: Path, n_features: int | None, label: str, cache: Path | None) -> Store:
        """The rows of a file, memory-mapped."""
        if self.warm_start:
            raise ValueError("fit_file does not start from an earlier fit: set warm_start=False.")
        store = open_store(path, cache=cache, n_features=n_features, label=label, verbose=self.verbose)
        self.n_features_in_, names = store.d, columns(path, label)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return store

    def _lay_out(self, store: Store, memory: float, cache: Path | None, models: int) -> Layout:
        """How the rows are visited within `memory`."""
        if not (isinstance(memory, Real) and memory > 0.0):
            raise ValueError(f"memory must be a positive number of bytes: got {memory!r}. The default is 1e9.")
        jobs, size = min(effective_n_jobs(self.n_jobs), models), store.data.nbytes + store.col.nbytes + store.ptr.nbytes
        layout = choose(store.n, size, store.digest, memory, models, jobs, cache_folder(cache))
        if layout.folder is not None and self.solver != "anchored":
            raise ValueError(
                f"solver={self.solver!r} keeps about {STATE} bytes in memory for each of the {store.n} rows: more than "
                f"half of memory={memory:g}. Use solver='anchored', which can keep them in a file, or more memory."
            )
        return layout
