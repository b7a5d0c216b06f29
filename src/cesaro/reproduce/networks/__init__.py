"""Figures 2 and 3: networks on CIFAR-10 and CIFAR-100."""
