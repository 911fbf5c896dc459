"""Prints which packages there are, as JSON; ends with an error where one is missing."""

import json
import platform

import numpy
import onnx
import PIL

print(
    json.dumps(
        {
            "Python": platform.python_version(),
            "numpy": numpy.__version__,
            "pillow": PIL.__version__,
            "onnx": onnx.__version__,
        }
    )
)
