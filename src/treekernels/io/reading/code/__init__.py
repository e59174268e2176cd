"""What readers of source code share."""
