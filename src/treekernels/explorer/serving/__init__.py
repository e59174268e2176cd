"""What the server needs: the files of the page, and a guard that decides who is answered."""
