"""Ting and Zheng (2003): AdaBoost with naive Bayes and with leveled naive Bayes trees."""

from papers.ting2003.run import PAPER

__all__ = ["PAPER"]
