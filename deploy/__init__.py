"""How the project is started on one machine, and how it is run for the world."""
