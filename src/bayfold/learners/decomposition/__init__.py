"""Class decomposition."""
