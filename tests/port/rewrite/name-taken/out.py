import torch
import accelport_device
accelerator = make()
accelerator.prepare(x.to(accelport_device.accelerator_device()))
