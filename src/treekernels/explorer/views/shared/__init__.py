"""What several views need: the question of the page, items of lists, and places of fragments."""
