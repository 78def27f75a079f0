"""Makes torch see the simulated cards of a platform.

`accelport run` copies this package into a private folder, beside `settings.json` and the platform's
data, and puts that folder on PYTHONPATH. There it declares itself as a back end of torch, so that
`import torch` calls `activate` in the program and in every Python that it starts. Nothing here is
reached by a plain `import torch`, and nothing here names a platform.
"""

from __future__ import annotations

from .activation import activate

__all__ = ["activate"]
