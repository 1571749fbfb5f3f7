"""Jobs in which nothing is wrong: the device computes for 95 % of the time or more, and what is
left is spread over reasons of which none reaches 1 %. Each shape draws its figures from rng."""

LEAST_COMPUTE = 95.0  # % of wall
MOST_STALL = 0.9      # % of wall, of any one class: findings begin at 1 %


def kernels(rng, total_ms, host_share):
    """A line of launches that take host_share of the time that their kernels take."""
    count = rng.randint(150, 900)
    dev = total_ms / count
    return f"kern {count} host={dev * host_share:.5f} dev={dev:.5f}"


def run_ahead(rng):
    """Training that only queues; the loss is read every N steps."""
    step, every = rng.uniform(40, 250), rng.randint(20, 40)
    steps = max(2, round(6000 / step / every))
    return f"""loop {steps}
  loop {every}
    h2d {rng.randint(1, 40)}M pinned async host=0.02 dev={rng.uniform(0.2, 3):.3f} stream=1
    {kernels(rng, step, rng.uniform(0.1, 0.8))}
  end
  d2h 4 pageable sync host=0.02 dev=0.002 :: transfer/readback
  cpu {rng.uniform(0.2, 4):.3f} log :: host-other/logging
end
"""


def graphs(rng):
    """Whole steps as graphs, the next one queued before the last has ended."""
    nodes = rng.randint(100, 2000)
    dev = rng.uniform(0.004, 0.05)
    return f"""loop {max(20, round(5000 / nodes / dev))}
  cpu {rng.uniform(0.05, 0.4) * nodes * dev:.4f} schedule :: host-other/python
  graph {nodes} host={rng.uniform(0.05, 0.3):.4f} dev={dev:.5f}
end
sync
"""


def several_streams(rng):
    """Two branches of a model beside each other, copies on a third stream."""
    step = rng.uniform(30, 120)
    count = rng.randint(100, 300)
    return f"""loop {round(5000 / step)}
  h2d {rng.randint(1, 20)}M pinned async host=0.02 dev={rng.uniform(0.1, 2):.3f} stream=3
  kern {count} host=0.005 dev={step / count:.5f} stream=1
  kern {count} host=0.005 dev={rng.uniform(0.7, 1) * step / count:.5f} stream=2
  d2h {rng.randint(1, 8)}M pinned async host=0.02 dev={rng.uniform(0.1, 1):.3f} stream=3
end
sync
"""


def small_read_backs(rng):
    """A value is read in each step, and nearly no time lost by it."""
    step = rng.uniform(60, 300)
    return f"""side launch thread cpu={rng.randint(20, 100)}
loop {round(6000 / step)}
  h2d {rng.randint(100, 900)}K pinned async host=0.02 dev=0.05
  {kernels(rng, step, rng.uniform(0.05, 0.5))}
  d2h 4 pageable sync host=0.02 dev=0.002 :: transfer/readback
  cpu {rng.uniform(0.0005, 0.003) * step:.4f} print :: host-other/logging
end
"""


def loader_keeps_up(rng):
    """Busy workers, a batch that always lies ready: a hand-off below 1 % of the step."""
    step = rng.uniform(80, 400)
    return f"""side workers n={rng.randint(2, 16)} cpu={rng.randint(30, 98)} state=R ; machine 16 cores, {rng.randint(0, 10)} idle
loop {round(6000 / step)}
  wait {rng.uniform(0.001, 0.006) * step:.4f} poll :: data-loading/hand-off
  h2d {rng.randint(5, 80)}M pinned async host=0.03 dev={rng.uniform(0.5, 4):.3f} stream=1
  {kernels(rng, step, rng.uniform(0.1, 0.6))}
  d2h 4 pageable sync host=0.02 dev=0.002 :: transfer/readback
end
"""


def full_server(rng):
    """Batched serving at full load: the next batch is prepared while this one runs."""
    batch = rng.uniform(20, 120)
    return f"""side accept queue never empty ; launch thread cpu={rng.randint(10, 70)} ; device sms=80
loop {round(5000 / batch)}
  wait 0.02 epoll :: no-work/no requests
  cpu {rng.uniform(0.05, 0.4) * batch:.4f} collate :: host-other/python
  h2d {rng.randint(10, 900)}K pinned async host=0.02 dev=0.05 stream=1
  kern {rng.randint(50, 300)} host=0.006 dev={batch / rng.randint(50, 200):.4f} grid=640 block=256
  d2h 64K pinned async host=0.02 dev=0.02 stream=1
end
sync
"""


def rare_checkpoint(rng):
    """An asynchronous checkpoint and its short pause in a long run."""
    step = rng.uniform(80, 200)
    return f"""loop 2
  loop {round(4000 / step)}
    {kernels(rng, step, rng.uniform(0.1, 0.6))}
  end
  sync
  d2h 64M pinned async host=0.02 dev={rng.uniform(2, 6):.3f} stream=1 :: transfer/checkpoint
  cpu {rng.uniform(1, 12):.3f} snapshot :: host-other/checkpoint
end
"""


def busy_process(rng):
    """Other threads of the process use whole cores; the device does not notice."""
    step = rng.uniform(50, 200)
    return f"""side process threads n={rng.randint(1, 30)} cpu={rng.randint(60, 100)} each ; machine 32 cores, {rng.randint(0, 12)} idle
loop {round(5000 / step)}
  {kernels(rng, step, rng.uniform(0.3, 0.8))}
  cpu {rng.uniform(0.1, 0.5) * step:.4f} bookkeeping :: host-other/python
end
"""


def a_little_of_each(rng):
    """Every kind of loss at once, each just below what is worth telling."""
    step = rng.uniform(80, 300)
    lost = [rng.uniform(0.006, 0.0088) * step for _ in range(4)]
    count = rng.randint(200, 600)
    dev = step / count
    return f"""side workers n=4 cpu={rng.randint(20, 97)} state=R ; machine 16 cores, 11 idle
loop {round(6000 / step)}
  wait {lost[0]:.4f} poll :: data-loading/hand-off
  h2d 30M pageable sync host=0.02 dev={lost[1]:.4f} :: transfer/pageable copy
  kern {count} host={dev * rng.uniform(0.1, 0.6):.5f} dev={dev:.5f}
  sync
  cpu {lost[2]:.4f} metrics :: host-other/logging
  kern 40 host={(lost[3] + 0.4) / 40:.5f} dev=0.01
end
"""


SHAPES = [run_ahead, graphs, several_streams, small_read_backs, loader_keeps_up, full_server,
          rare_checkpoint, busy_process, a_little_of_each]


def job(rng, seed):
    """(name of the shape, block)"""
    shape = SHAPES[seed % len(SHAPES)]
    return shape.__name__, shape(rng)
