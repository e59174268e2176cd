"""What each view shows, as plain data: functions of the state and of what the page asks for."""
