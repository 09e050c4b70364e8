"""What the methods do with statistics."""
