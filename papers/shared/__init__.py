"""What the reproductions share: a store of results, a runner that goes on where it stopped, pages, tests, baselines."""
