"""What productions and labels weigh in a kernel, and how often they occur."""
