"""Settings: `dev` for one machine, `test` for the suite, `production` for the world."""
