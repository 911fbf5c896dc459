"""What torch itself finds: torch-detections.py MODEL.onnx MODEL_TYPE CLASSES SIZE LEAST IMAGE …

The weights come from the ONNX file by their names, the rest from trainers/torchvision. Prints for
each image a list of [class, score, left, top, right, bottom] in pixels of the image.
"""

import json
import os
import sys

for folder in ("contract", "torchvision"):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../trainers", folder))

import torch
from PIL import Image

from canvas import Canvas
from coco import Example
from evaluate import detect
from models import Detector, load_matching, values_of_onnx

model, model_type, classes, size, least, *images = sys.argv[1:]
detector = Detector(model_type, int(classes), int(size)).eval()
values = values_of_onnx(model)
load_matching(detector, values)
# Of counters that only training reads there are none.
missing = {name for name in detector.state_dict() if name not in values}
assert all(name.endswith("num_batches_tracked") for name in missing), missing
canvas = Canvas(int(size))
for path in images:
    pixels, _, _ = canvas.load(Example(path, [], []))
    width, height = Image.open(path).size
    (scaled_width, scaled_height), left, top = canvas.place(width, height)
    with torch.no_grad():
        output = detector(torch.from_numpy(pixels).permute(2, 0, 1).float()[None] / 255)[0]
    boxes, scores, labels = detect(output)
    boxes = (boxes - torch.tensor([left, top, left, top])) * torch.tensor(
        [width / scaled_width, height / scaled_height] * 2
    )
    boxes = torch.min(boxes.clamp(min=0), torch.tensor([width, height] * 2).float())
    found = zip(labels.tolist(), scores.tolist(), boxes.tolist())
    print(json.dumps([[label, score, *box] for label, score, box in found if score >= float(least)]))
