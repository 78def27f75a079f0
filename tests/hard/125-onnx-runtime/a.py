import onnxruntime as ort

providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
sess = ort.InferenceSession(p, providers=providers)
