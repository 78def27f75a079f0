from . import ops

ops.run()
