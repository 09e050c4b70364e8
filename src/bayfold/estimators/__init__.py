"""scikit-learn estimators: thin classes over the layers below."""
