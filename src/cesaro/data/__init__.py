"""Data sets by name, svmlight files, CIFAR images.

load("a9a"), load("my_file.svm.xz")      rows, labels, the published test part
read_svmlight(path), svmlight.blocks     a file as CSR, whole or a block at a time
listing(), locate(name), fetch(name)     what is here, where, and getting it
load_cifar("cifar10")                    images
"""

from . import svmlight
from .catalogue import CATALOGUE, Entry
from .cifar import load_cifar
from .download import fetch
from .parts import Archive, DataError, Text
from .places import Listed, listing, locate
from .sets import Dataset, load
from .svmlight import SvmlightError, read_svmlight

__all__ = [
    "CATALOGUE",
    "Archive",
    "DataError",
    "Dataset",
    "Entry",
    "Listed",
    "SvmlightError",
    "Text",
    "fetch",
    "listing",
    "load",
    "load_cifar",
    "locate",
    "read_svmlight",
    "svmlight",
]
