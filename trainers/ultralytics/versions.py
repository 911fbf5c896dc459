"""Prints which packages there are, as JSON; ends with an error where one is missing."""

import json
import os
import platform

# Nothing is asked of the network.
os.environ["YOLO_OFFLINE"] = "true"

import onnx
import torch
import ultralytics

device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"
print(
    json.dumps(
        {
            "Python": platform.python_version(),
            "ultralytics": ultralytics.__version__,
            "torch": torch.__version__,
            "onnx": onnx.__version__,
            "with": device,
        }
    )
)
