"""The paper's experiments: `run.reproduce`, and a package for each figure with its runs, claims and drawing."""
