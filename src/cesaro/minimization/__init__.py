"""minimize(): one loop under every method, and the reasons for which it stops."""

from cesaro.minimization.solve import minimize

__all__ = ["minimize"]
