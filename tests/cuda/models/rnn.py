"""A recurrent network that counts ones, as tutorials write it: one global device, map_location, CUDA's random state."""

import io

import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(11)


class Counter(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.rnn = nn.GRU(1, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, bits):
        out, _ = self.rnn(bits.unsqueeze(-1))
        return self.head(out[:, -1]).squeeze(-1)


model = Counter().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    bits = (torch.rand(32, 12, device=device) > 0.5).float()
    loss = nn.functional.mse_loss(model(bits), bits.sum(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f} on {loss.device.type == 'cuda'}")

saved = io.BytesIO()
state = {"model": model.state_dict(), "rng": torch.cuda.get_rng_state_all() if device == "cuda" else None}
torch.save(state, saved)
saved.seek(0)
again = Counter()
again.load_state_dict(torch.load(saved, map_location="cuda:0" if device == "cuda" else "cpu")["model"])
