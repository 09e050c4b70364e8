"""From any table to scores: knows no method by name."""
