"""The guard of a training loop: it stops at the first step that is not finite, before harm is done, and names the cause.

`accelport.guard` makes one. Nothing in here names a platform: devices are reached through torch's own neutral calls.
"""
