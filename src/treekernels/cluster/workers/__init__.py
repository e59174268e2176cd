"""What goes to the workers and comes back: clients, data, arrays, and recovery from losses."""
