"""What only kernels call, as they call it: from Python such a function is Python."""

from numba import njit


def compiled(*functions):
    """The functions, each as a kernel."""

    def kernel(function):
        @njit
        def call(*arguments):
            return function(*arguments)

        return call

    return [kernel(function) for function in functions]
