"""Whether a mechanism has multipliers, for compiled code."""

from flexmbs.core.layout.tables import has_rows
from flexmbs.machine_code.kernel import kernel

any_rows = kernel(has_rows)
