"""Data sets by name, svmlight files, CIFAR images.

load("a9a"), load("my_file.svm.xz")      rows, labels, the published test rows
read_svmlight(path), svmlight.blocks     a file as CSR, whole or a block at a time
listing(), locate(name), fetch(name)     what is here, where, and getting it
load_cifar("cifar10")                    images
"""

from cesaro.data import svmlight
from cesaro.data.artifacts import Archive, DataError, SvmlightFile
from cesaro.data.catalogue import CATALOGUE, Entry
from cesaro.data.cifar import load_cifar
from cesaro.data.download import fetch
from cesaro.data.loaders import Dataset, load
from cesaro.data.locations import Listed, listing, locate
from cesaro.data.svmlight.errors import SvmlightError
from cesaro.data.svmlight.reader import read_svmlight

__all__ = [
    "CATALOGUE",
    "Archive",
    "DataError",
    "Dataset",
    "Entry",
    "Listed",
    "SvmlightError",
    "SvmlightFile",
    "fetch",
    "listing",
    "load",
    "load_cifar",
    "locate",
    "read_svmlight",
    "svmlight",
]
