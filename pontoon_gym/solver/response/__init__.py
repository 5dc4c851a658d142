"""What policies are worth, and the best ones."""
