"""svmlight files: the reader, the parser of its blocks, the lexer of its lines, decimals to the nearest float64."""

from cesaro.data.svmlight.errors import SvmlightError
from cesaro.data.svmlight.reader import blocks, read_svmlight

__all__ = ["SvmlightError", "blocks", "read_svmlight"]
