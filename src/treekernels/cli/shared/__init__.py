"""What several commands share: options, data, columns, scores."""
