"""From problems to fits: the settings, the choice of a solver, the one loop, threads, the first step."""
