"""
Makes what RF-DETR exports a model as Fovea runs them: pixels from 0 to 1 go in, and
[1, 4 + classes, boxes] comes out, in pixels of the canvas.
"""

import numpy
from onnx import TensorProto, helper, numpy_helper

MEAN = [0.485, 0.456, 0.406]
DEVIATION = [0.229, 0.224, 0.225]


def run_by_fovea(model, size, classes):
    """Changes an ONNX model with the outputs `dets` and `labels`, and returns it."""
    graph = model.graph
    given = graph.input[0].name
    channels = lambda values: numpy.array(values, numpy.float32).reshape(1, 3, 1, 1)
    constants = {
        "fovea_mean": channels(MEAN),
        "fovea_deviation": channels(DEVIATION),
        "fovea_size": numpy.array([size], numpy.float32),
        # The first is that of the parent, which no object has.
        "fovea_first": numpy.array([1], numpy.int64),
        "fovea_last": numpy.array([1 + classes], numpy.int64),
        "fovea_axis": numpy.array([2], numpy.int64),
    }
    graph.initializer.extend(
        numpy_helper.from_array(values, name) for name, values in constants.items()
    )
    before = [
        helper.make_node("Sub", ["images", "fovea_mean"], ["fovea_centred"]),
        helper.make_node("Div", ["fovea_centred", "fovea_deviation"], [given]),
    ]
    after = [
        helper.make_node("Mul", ["dets", "fovea_size"], ["fovea_boxes"]),
        helper.make_node("Sigmoid", ["labels"], ["fovea_sure"]),
        helper.make_node(
            "Slice", ["fovea_sure", "fovea_first", "fovea_last", "fovea_axis"], ["fovea_scores"]
        ),
        helper.make_node("Concat", ["fovea_boxes", "fovea_scores"], ["fovea_rows"], axis=2),
        helper.make_node("Transpose", ["fovea_rows"], ["output"], perm=[0, 2, 1]),
    ]
    nodes = [*before, *graph.node, *after]
    boxes = {one.name: one for one in graph.output}["dets"].type.tensor_type.shape.dim[1].dim_value
    for part, values in (
        (graph.node, nodes),
        (graph.input, [values_of("images", [1, 3, size, size])]),
        (graph.output, [values_of("output", [1, 4 + classes, boxes])]),
    ):
        del part[:]
        part.extend(values)
    return model


def values_of(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
