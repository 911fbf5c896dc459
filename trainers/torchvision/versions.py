"""Prints which packages there are, as JSON; ends with an error where one is missing."""

import json
import platform

import onnx
import torch
import torchvision

device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"
print(
    json.dumps(
        {
            "Python": platform.python_version(),
            "torch": torch.__version__,
            "torchvision": torchvision.__version__,
            "onnx": onnx.__version__,
            "with": device,
        }
    )
)
