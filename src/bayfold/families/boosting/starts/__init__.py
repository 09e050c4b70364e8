"""What boosting begins with before the first tree: categories, texts and pairs of columns."""
