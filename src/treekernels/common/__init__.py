"""What every room may use: progress, errors of the core, optional packages, the screen."""
