from transformers import AutoModel

a = AutoModel.from_pretrained(p, device_map="cuda")
b = AutoModel.from_pretrained(p, device_map={"": 0})
c = AutoModel.from_pretrained(p, device_map="auto")
