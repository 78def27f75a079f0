"""Settings."""
import accelerator

device = f"{accelerator.accelerator_type()}:0"
