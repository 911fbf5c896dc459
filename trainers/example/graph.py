"""The trained network as an ONNX model: from an image to boxes, as Fovea runs models."""

import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from cells import BOX_NUMBERS, MIDDLES, POWER_MAX, USUAL_SIZE
from features import (
    CELLS,
    CHANNELS,
    GRAIN,
    GRAINS_PER_CELL,
    GRID,
    LEAST_SPREAD,
    SIDE,
    STRIDE,
    WINDOWS,
    margin_of,
)
from job import write_whole
from metadata import metadata
from network import HIDDEN, REACH

# Older than the newest of both, for older runtimes.
OPSET = 13
IR_VERSION = 7
PREPROCESSING = "letterbox, grey 114; 0 to 1; the features are in the graph"


def export(network, scaling, job, figures):
    graph = helper.make_graph(
        [*feature_nodes(), *layer_nodes(), *box_nodes()],
        "fovea-example",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [
            helper.make_tensor_value_info(
                "output", TensorProto.FLOAT, [1, BOX_NUMBERS + len(job.classes), CELLS]
            )
        ],
        [
            numpy_helper.from_array(values, name)
            for name, values in constants(network, scaling, len(job.classes)).items()
        ],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    known = metadata(job, figures, "its example trainer", PREPROCESSING)
    helper.set_model_props(model, {**known, "task": "detect", "overlap": "0.5"})
    path = os.path.join(job.output, "model.onnx")
    write_whole(path, lambda part: onnx.save(model, part))


def feature_nodes():
    """As features.py has them."""
    yield pool("images", "grains", GRAIN, GRAIN, 0)
    yield helper.make_node("Mul", ["grains", "grains"], ["squares"])
    names = []
    for window in WINDOWS:
        mean, square, product, difference, variance, total, spread = (
            f"{part}_{window}"
            for part in ("mean", "square", "product", "difference", "variance", "sum", "spread")
        )
        yield pool("grains", mean, window, GRAINS_PER_CELL, margin_of(window))
        yield pool("squares", square, window, GRAINS_PER_CELL, margin_of(window))
        yield helper.make_node("Mul", [mean, mean], [product])
        yield helper.make_node("Sub", [square, product], [difference])
        yield helper.make_node("Relu", [difference], [variance])
        yield helper.make_node("Add", [variance, "least_spread"], [total])
        yield helper.make_node("Sqrt", [total], [spread])
        names += [mean, spread]
    yield helper.make_node("Concat", names, ["features"], axis=1)


def pool(given, output, size, step, margin):
    return helper.make_node(
        "AveragePool",
        [given],
        [output],
        kernel_shape=[size, size],
        strides=[step, step],
        pads=[margin] * 4,
        count_include_pad=0,
    )


def layer_nodes():
    """As network.py has them."""
    yield helper.make_node("Sub", ["features", "means"], ["centred"])
    yield helper.make_node("Mul", ["centred", "factors"], ["scaled"])
    yield helper.make_node("Conv", ["scaled", "first", "first_bias"], ["sums"], pads=[1, 1, 1, 1])
    yield helper.make_node("Relu", ["sums"], ["hidden"])
    yield helper.make_node("Conv", ["hidden", "second", "second_bias"], ["grid"])
    yield helper.make_node("Reshape", ["grid", "cell_shape"], ["cells"])


def box_nodes():
    """As cells.py has them."""
    yield helper.make_node("Split", ["cells", "parts"], ["offsets", "powers", "logits"], axis=1)
    yield helper.make_node("Mul", ["offsets", "stride"], ["moves"])
    yield helper.make_node("Add", ["moves", "middles"], ["centres"])
    yield helper.make_node("Clip", ["powers", "power_min", "power_max"], ["clipped"])
    yield helper.make_node("Exp", ["clipped"], ["ratios"])
    yield helper.make_node("Mul", ["ratios", "usual_size"], ["sizes"])
    yield helper.make_node("Sigmoid", ["logits"], ["scores"])
    yield helper.make_node("Concat", ["centres", "sizes", "scores"], ["output"], axis=1)


def constants(network, scaling, classes):
    means, factors = scaling
    outputs = BOX_NUMBERS + classes
    cells = numpy.arange(CELLS)
    floats = {
        "least_spread": [LEAST_SPREAD],
        "means": means.reshape(1, CHANNELS, 1, 1),
        "factors": factors.reshape(1, CHANNELS, 1, 1),
        **network.values,
        "first": network.values["first"].reshape(HIDDEN, CHANNELS, REACH, REACH),
        "second": network.values["second"].reshape(outputs, HIDDEN, 1, 1),
        "middles": [[MIDDLES[cells % GRID], MIDDLES[cells // GRID]]],
        "stride": [STRIDE],
        "power_min": -POWER_MAX,
        "power_max": POWER_MAX,
        "usual_size": [USUAL_SIZE],
    }
    whole = {"cell_shape": [1, outputs, CELLS], "parts": [2, 2, classes]}
    return {
        **{name: numpy.array(values, numpy.float32) for name, values in floats.items()},
        **{name: numpy.array(values, numpy.int64) for name, values in whole.items()},
    }
