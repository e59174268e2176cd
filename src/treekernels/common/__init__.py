"""What every room may use: checks, limits, progress, text, the screen, optional packages."""
