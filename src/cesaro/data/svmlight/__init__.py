"""svmlight files: the reader, the lexer of its lines, decimal numbers to the nearest float64."""

from cesaro.data.svmlight.reader import SvmlightError, blocks, read_svmlight

__all__ = ["SvmlightError", "blocks", "read_svmlight"]
