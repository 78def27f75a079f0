"""The rungs of `accelport verify`: one process each, started by the program with `ladder.py`."""
