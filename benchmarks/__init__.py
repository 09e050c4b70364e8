"""Speed and memory against peers: ``python -m benchmarks.core``."""
