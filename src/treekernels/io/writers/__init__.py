"""Writers: forests and tables to files, one small file per format."""
