"""Exports a small segmenter of random weights, and prints the class of each pixel of a picture."""

import json
import sys

import numpy
import onnx
import torch
from PIL import Image

torch.manual_seed(7)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3, stride=2, padding=1),
    torch.nn.ReLU(),
    torch.nn.Conv2d(16, 16, 3, stride=2, padding=1),
    torch.nn.ReLU(),
    torch.nn.Conv2d(16, 4, 1),
).eval()
path, picture = sys.argv[1:]
colours = numpy.asarray(Image.open(picture).convert("RGB"), dtype=numpy.float32) / 255
height, width, _ = colours.shape
canvas = torch.full((1, 3, 64, 64), 114 / 255)
top = (64 - height) // 2
canvas[0, :, top : top + height] = torch.from_numpy(colours).permute(2, 0, 1)
with torch.no_grad():
    # Scores of one size for all classes, so that each of them is somewhere the best.
    scores = model(canvas)
    model[-1].bias -= scores.mean(dim=(0, 2, 3))
    scores = model(canvas)[:, :, top // 4 : (top + height) // 4]
    whole = torch.nn.functional.interpolate(
        scores, size=(height, width), mode="bilinear", align_corners=False
    )
torch.onnx.export(model, canvas, path, opset_version=13)
exported = onnx.load(path)
names = exported.metadata_props.add()
names.key, names.value = "names", "['background', 'one', 'two', 'three']"
onnx.save(exported, path)
print(json.dumps(whole.argmax(dim=1).flatten().tolist()))
