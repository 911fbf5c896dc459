"""Writes a model as ONNX, with what one has to know to run it."""

import inspect
import os
import warnings

import onnx
import torch

from job import write_whole
from metadata import metadata

OPSET = 13
PREPROCESSING = "letterbox, grey 114; 0 to 1; mean and deviation are in the graph"


def export(model, job, figures, of_task):
    path = os.path.join(job.output, "model.onnx")
    write_whole(path, lambda part: write_graph(model, job.image_size, part))
    written = onnx.load(path)
    known = metadata(job, figures, "torchvision", PREPROCESSING)
    for key, value in {**known, **of_task}.items():
        written.metadata_props.add(key=key, value=value)
    write_whole(path, lambda part: onnx.save(written, part))


def write_graph(model, size, path):
    model = model.cpu().eval()
    # Of itself alone, not of its layers: the exporter then leaves equal weights apart, each with
    # its name.
    model.training = True
    pixels = torch.full((1, 3, size, size), 0.5)
    options = {}
    # The other exporter of newer versions needs packages of its own.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            pixels,
            path,
            opset_version=OPSET,
            input_names=["images"],
            output_names=["output"],
            # As they are: a later training starts from the weights in this file, by their names.
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            **options,
        )
