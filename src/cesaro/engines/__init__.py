"""Engines: the linear models on rows that lie in several processes or machines. They move rows and states, no maths."""
