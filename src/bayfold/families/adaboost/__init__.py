"""AdaBoost of naive Bayes and of trees with naive Bayes leaves."""
