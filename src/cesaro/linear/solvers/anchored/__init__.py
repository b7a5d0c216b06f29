"""Anchored dual coordinate ascent, the default: proximal-point SDCA, with Newton steps for small problems' last digits."""
