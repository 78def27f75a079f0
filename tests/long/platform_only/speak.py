"""Whisper with random weights transcribes a second of silence on the device that load_model would choose."""

import numpy
import torch
import whisper
from whisper.model import ModelDimensions, Whisper

torch.manual_seed(1)
checkpoint = {"dims": ModelDimensions(80, 1500, 64, 2, 1, 51865, 448, 64, 2, 1).__dict__}
checkpoint["model_state_dict"] = Whisper(ModelDimensions(**checkpoint["dims"])).state_dict()
torch.save(checkpoint, "random.pt")
model = whisper.load_model("random.pt")
result = whisper.transcribe(model, numpy.zeros(16000, dtype="float32"), fp16=False, language="en", temperature=0.0)
print(len(result["segments"]), "segments")
