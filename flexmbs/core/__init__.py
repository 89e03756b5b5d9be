"""The compiled core: the mechanics of a mechanism in flat tables, integration methods and the step loop."""
