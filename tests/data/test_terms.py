"""The search list can be counted by looking around the hits of its words."""

from __future__ import annotations

from knowledge import read_toml

TERMS = read_toml("terms.toml")
WORDS = [word["text"].lower() for word in TERMS["word"]]

# The list that a user is promised; each is a word or a term.
PROMISED = [
    "torch.cuda",
    ".cuda(",
    'device="cuda"',
    'device.type == "cuda"',
    "CUDA_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "CUDA_HOME",
    "CUDAExtension",
    "cuda",
    "nccl",
    "nvidia-smi",
    "nvcc",
    "bitsandbytes",
    "flash_attn",
    "xformers",
    "triton",
    "BitBLAS",
    "apex",
    "deepspeed",
]


def occurrences(needle: str, text: str) -> int:
    return sum(text.startswith(needle, at) for at in range(len(text)))


def overlaps_itself(text: str) -> bool:
    return any(text.startswith(text[at:]) for at in range(1, len(text)))


def test_words_are_few_short_texts():
    assert 25 <= len(WORDS) <= 40
    for word in TERMS["word"]:
        assert set(word) <= {"text", "why", "overlaps_itself"}
        assert len(word["text"]) >= 3 and word["text"].isascii() and word["why"]


def test_texts_are_unique():
    texts = [entry["text"].lower() for entry in TERMS["word"] + TERMS["term"]]
    assert len(texts) == len(set(texts))


def test_no_word_contains_another():
    for word in WORDS:
        assert [other for other in WORDS if other in word] == [word]


def test_only_marked_texts_can_overlap_themselves():
    for entry in TERMS["word"] + TERMS["term"]:
        assert overlaps_itself(entry["text"].lower()) == entry.get("overlaps_itself", False), entry["text"]


def test_a_term_holds_exactly_one_word():
    for term in TERMS["term"]:
        assert set(term) <= {"text", "word", "overlaps_itself"}
        text = term["text"].lower()
        assert term["word"] in WORDS, term
        assert occurrences(term["word"], text) == 1, term
        assert [word for word in WORDS if word in text] == [term["word"]], term


def test_promised_terms_are_listed():
    texts = {entry["text"].lower() for entry in TERMS["word"] + TERMS["term"]}
    assert [term for term in PROMISED if term.lower() not in texts] == []
