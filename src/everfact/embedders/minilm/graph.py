"""The network as an ONNX graph, put together from its published weights: no training framework is needed for that.

A BERT encoder: word, position and type vectors; layers of attention and a two-step transformation, each added to what
came in and normalised; the mean over the words, at unit length. Weights become whole numbers afterwards (`quantise`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnx
    from numpy.typing import NDArray

_OPSET, _IR = 17, 8  # the oldest with LayerNormalization


def build(folder: Path, target: Path) -> None:
    """Write the graph of the model in `folder` to `target`, with weights of one byte each."""
    import onnx
    from onnxruntime.quantization import quantize_dynamic  # type: ignore[import-untyped] # it has no types
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    whole = target.with_suffix(".whole.onnx")
    former = logging.root.manager.disable
    logging.disable(logging.WARNING)  # advice for networks that somebody else wrote down
    try:
        onnx.save(Encoder(load_file(folder / "model.safetensors"), config).model(), str(whole))
        # Rounding each output channel by itself costs nothing and loses less.
        quantize_dynamic(str(whole), str(target), per_channel=True)
    finally:
        logging.disable(former)
        whole.unlink(missing_ok=True)


class Encoder:
    """Writes down the steps of the network, one node after the other."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], config: Mapping[str, Any]) -> None:
        self._weights = weights
        self._config = config
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        """The whole network: `input_ids` and `attention_mask` to `embedding`."""
        from onnx import TensorProto, checker, helper

        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        words = self._layers(self._normal(self._words(), "embeddings.LayerNorm"), self._bias(mask))
        self._mean(words, mask)
        graph = helper.make_graph(
            self._nodes,
            "minilm",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "words"])
                for name in ("input_ids", "attention_mask")
            ],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", self._config["hidden_size"]])],
            list(self._constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
        checker.check_model(model)
        return model

    def _words(self) -> str:
        """The vector of each word, of its place, and of the one type that all have."""
        words = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        # A slice up to the number of words; computing that number as a scalar confuses the runtime's own optimiser.
        length = self._node("Shape", "input_ids", start=1, end=2)
        table = self._weight("embeddings.position_embeddings.weight")
        places = self._node("Slice", table, self._whole("zero", [0]), length, self._whole("first_axis", [0]))
        type_ = self._constant("type", self._weights["embeddings.token_type_embeddings.weight"][0])
        return self._node("Add", self._node("Add", words, places), type_)

    def _bias(self, mask: str) -> str:
        """What attention adds to places without a word: so little that they count for nothing."""
        spread = self._node("Unsqueeze", mask, self._whole("axes_of_mask", [1, 2]))
        return self._node("Mul", self._node("Sub", self._number("one", 1.0), spread), self._number("nothing", -1e9))

    def _layers(self, words: str, bias: str) -> str:
        for number in range(self._config["num_hidden_layers"]):
            place = f"encoder.layer.{number}"
            heard = self._linear(self._attention(words, bias, place), f"{place}.attention.output.dense")
            words = self._normal(self._node("Add", heard, words), f"{place}.attention.output.LayerNorm")
            thought = self._gelu(self._linear(words, f"{place}.intermediate.dense"))
            thought = self._linear(thought, f"{place}.output.dense")
            words = self._normal(self._node("Add", thought, words), f"{place}.output.LayerNorm")
        return words

    def _attention(self, words: str, bias: str, place: str) -> str:
        heads = self._config["num_attention_heads"]
        size = self._config["hidden_size"] // heads
        split = self._whole("by_head", [0, 0, heads, size])
        query, key, value = (
            self._node(
                "Transpose",
                self._node("Reshape", self._linear(words, f"{place}.attention.self.{name}"), split),
                perm=order,
            )
            for name, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        )
        alike = self._node("Mul", self._node("MatMul", query, key), self._number("scale", size**-0.5))
        shares = self._node("Softmax", self._node("Add", alike, bias), axis=-1)
        heard = self._node("Transpose", self._node("MatMul", shares, value), perm=(0, 2, 1, 3))
        return self._node("Reshape", heard, self._whole("joined", [0, 0, heads * size]))

    def _gelu(self, x: str) -> str:
        scaled = self._node("Erf", self._node("Mul", x, self._number("root_of_half", 0.5**0.5)))
        return self._node(
            "Mul",
            self._node("Mul", x, self._number("half", 0.5)),
            self._node("Add", scaled, self._number("one", 1.0)),
        )

    def _mean(self, words: str, mask: str) -> None:
        """The mean of the words that are there, at unit length."""
        counted = self._node("Unsqueeze", mask, self._whole("last_axis", [2]))
        axis = self._whole("axis_of_words", [1])
        total = self._node("ReduceSum", self._node("Mul", words, counted), axis, keepdims=0)
        mean = self._node("Div", total, self._node("ReduceSum", counted, axis, keepdims=0))
        self._node("LpNormalization", mean, output="embedding", axis=-1, p=2)

    def _linear(self, x: str, place: str) -> str:
        weight = self._constant(f"{place}.weight", self._weights[f"{place}.weight"].T)
        return self._node("Add", self._node("MatMul", x, weight), self._weight(f"{place}.bias"))

    def _normal(self, x: str, place: str) -> str:
        return self._node(
            "LayerNormalization",
            *(x, self._weight(f"{place}.weight"), self._weight(f"{place}.bias")),
            axis=-1,
            epsilon=self._config["layer_norm_eps"],
        )

    def _node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _number(self, name: str, value: float) -> str:
        import numpy as np

        return self._constant(name, np.array(value, dtype=np.float32))

    def _whole(self, name: str, values: list[int]) -> str:
        import numpy as np

        return self._constant(name, np.array(values, dtype=np.int64))

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        import numpy as np
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name
