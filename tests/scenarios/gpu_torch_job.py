"""PyTorch jobs for the GPU check. What they print is the same in every run.

usage: gpu_torch_job.py loader WORKERS ITEM_MS | profiler | graph | matmul   [DEVICE]

Each goes on for SECONDS after its first step, so that it is neither too short on a fast GPU nor
too long on a slow one. DEVICE cpu runs all but graph without a GPU, to try this file."""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

SECONDS = 5.0
BATCH, TOKENS, WIDTH = 32, 64, 256  # 2 MiB a batch: prefetched ones fit a small /dev/shm
WIDE, SMALL = 4096, 1024  # features of a layer


def decode(seconds):
    """Stands for decoding an image: CPU time, not sleep."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Items(Dataset):
    def __init__(self, item_ms):
        self.item_ms = item_ms

    def __len__(self):
        return 10**7

    def __getitem__(self, index):
        decode(self.item_ms / 1000)
        return torch.full((TOKENS, WIDTH), 0.01)


class Training:
    """Four large layers: some milliseconds a step on a data-centre GPU."""

    def __init__(self, device):
        wide = WIDE if device != "cpu" else 16
        layers = [torch.nn.Linear(WIDTH, wide), torch.nn.ReLU(), torch.nn.Linear(wide, wide),
                  torch.nn.ReLU(), torch.nn.Linear(wide, wide), torch.nn.ReLU(),
                  torch.nn.Linear(wide, 1)]
        self.device = device
        self.model = torch.nn.Sequential(*layers).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-6)

    def step(self, batch):
        batch = batch.to(self.device, non_blocking=True)
        loss = self.model(batch).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def until_over(step):
    end = None
    while end is None or time.monotonic() < end:
        step()
        end = end or time.monotonic() + SECONDS


def loader(device, workers, item_ms):
    training = Training(device)
    batches = iter(DataLoader(Items(float(item_ms)), batch_size=BATCH, num_workers=int(workers),
                              pin_memory=device != "cpu"))
    until_over(lambda: training.step(next(batches)))
    print("trained")


def profiler(device):
    """Steps before, under and after PyTorch's profiler, which takes CUPTI for itself meanwhile."""
    from torch.profiler import ProfilerActivity, profile
    training, batch = Training(device), torch.full((BATCH, TOKENS, WIDTH), 0.01)
    for _ in range(20):
        training.step(batch)
    kinds = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device != "cpu")
    with profile(activities=kinds) as seen:
        for _ in range(10):
            training.step(batch)
    events = seen.events()
    kernels = sum("CUDA" in str(getattr(e, "device_type", "")) for e in events)
    until_over(lambda: training.step(batch))
    print("profile holds", "kernels" if kernels else "no kernels", "and",
          "operators" if len(events) > kernels else "no operators")


def graph(device):
    layers = [torch.nn.Linear(SMALL, SMALL) for _ in range(40)]
    batch = torch.full((64, SMALL), 0.01, device=device)
    model = torch.nn.Sequential(*layers).to(device)
    side = torch.cuda.Stream()
    with torch.no_grad():
        with torch.cuda.stream(side):
            model(batch)
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            model(batch)
    for _ in range(1000):
        captured.replay()
    torch.cuda.synchronize()
    print("replayed 1000")


def matmul(device):
    size = 4096 if device != "cpu" else 64
    a = torch.full((size, size), 0.01, device=device)

    def some():
        for _ in range(50):
            a @ a
        if device != "cpu":
            torch.cuda.synchronize()

    until_over(some)
    print("multiplied")


def main():
    words = sys.argv[1:]
    device = "cpu" if words[-1] == "cpu" else "cuda"
    words = words[:-1] if words[-1] in ("cpu", "cuda") else words
    {"loader": loader, "profiler": profiler, "graph": graph, "matmul": matmul}[words[0]](
        device, *words[1:])


main()
