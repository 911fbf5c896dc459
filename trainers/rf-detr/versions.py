"""Prints which packages there are, as JSON; ends with an error where one is missing."""

import json
import platform
from importlib.metadata import version

import onnx
import rfdetr  # noqa: F401 - only whether it is there
import torch

device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"
print(
    json.dumps(
        {
            "Python": platform.python_version(),
            "rfdetr": version("rfdetr"),
            "torch": torch.__version__,
            "onnx": onnx.__version__,
            "with": device,
        }
    )
)
