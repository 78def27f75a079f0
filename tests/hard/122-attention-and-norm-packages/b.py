from apex.normalization import FusedLayerNorm      # unconditional
