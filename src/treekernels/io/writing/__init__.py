"""The machinery of all writers: kinds of columns, and text that is safe for spreadsheets."""
