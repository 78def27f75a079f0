"""Settings."""

device = "cuda:0"
