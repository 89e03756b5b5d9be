"""From states and log rows to the arrays that a result stores."""
