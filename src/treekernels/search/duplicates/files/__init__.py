"""Which files are looked at for copies, and what of them has changed."""
