"""Documents and markup: JSON, YAML, TOML, XML, HTML and formulas."""
