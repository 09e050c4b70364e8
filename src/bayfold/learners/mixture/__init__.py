"""Mixtures of naive Bayes components by EM."""
