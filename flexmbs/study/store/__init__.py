"""The folder of a study: its statement, and one record for each run, named by what determines its result."""
