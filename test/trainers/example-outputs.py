"""What the example trainer itself computes: example-outputs.py MODEL.onnx IMAGE

The values come from the ONNX file by their names, the rest from trainers/example. Prints for each
cell [x, y, width, height, score of each class …] in pixels of the canvas.
"""

import json
import os
import sys

for folder in ("contract", "example"):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../trainers", folder))

import numpy
import onnx
from onnx import numpy_helper

from canvas import Canvas
from cells import MIDDLES, USUAL_SIZE, sigmoid
from coco import Example
from features import CELLS, GRID, SIDE, STRIDE, feature_maps
from network import Network, patches_of

model, image = sys.argv[1:]
values = {one.name: numpy_helper.to_array(one) for one in onnx.load(model).graph.initializer}
classes = len(values["second_bias"]) - 4
network = Network(classes, 0)
for name, own in network.values.items():
    network.values[name] = values[name].reshape(own.shape)
pixels, _, _ = Canvas(SIDE).load(Example(image, [], []))
maps = (feature_maps(pixels) - values["means"][0]) * values["factors"][0]
outputs, _ = network.outputs(patches_of(maps))
cells = numpy.arange(CELLS)
middles = numpy.stack([MIDDLES[cells % GRID], MIDDLES[cells // GRID]], 1)
centres = middles + outputs[:, :2] * STRIDE
sizes = numpy.exp(outputs[:, 2:4].clip(-3, 3)) * USUAL_SIZE
print(json.dumps(numpy.concatenate([centres, sizes, sigmoid(outputs[:, 4:])], 1).tolist()))
