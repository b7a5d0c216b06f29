"""What is written to disk: files that appear whole or not at all, checkpoints, model files."""
