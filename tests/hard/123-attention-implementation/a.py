from transformers import AutoModel

m = AutoModel.from_pretrained(p, attn_implementation="flash_attention_2")
