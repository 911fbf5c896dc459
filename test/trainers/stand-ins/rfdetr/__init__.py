"""
Stands in for rfdetr, which the tests cannot fetch: the calls and callbacks that the trainer uses, as
its source has them. It learns nothing. What it is given goes to standard error.
"""

import json
import os
import sys
import time
from collections import defaultdict

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

STEPS = 5
BOXES = 3


class RFDETRNano:
    def __init__(self, pretrain_weights=None):
        if pretrain_weights is None:
            pretrain_weights = "rf-detr-nano.pth"
            with open(pretrain_weights, "w", encoding="utf-8") as file:
                file.write("{}")
        self.weights = os.path.abspath(pretrain_weights)
        assert os.path.exists(self.weights)
        self.callbacks = defaultdict(list)

    def train(self, dataset_dir, output_dir, epochs, resume=None, **given):
        first = 0
        if resume is not None:
            with open(resume, encoding="utf-8") as file:
                first = json.load(file)["epoch"] + 1
        path = os.path.join(dataset_dir, "train", "_annotations.coco.json")
        with open(path, encoding="utf-8") as file:
            coco = json.load(file)
        words = {"weights": os.path.basename(self.weights), "epochs": epochs, "first": first}
        print(json.dumps({**words, **given, "coco": coco}), file=sys.stderr)
        for epoch in range(first, epochs):
            for step in range(STEPS):
                for callback in self.callbacks["on_train_batch_start"]:
                    callback({"step": step, "epoch": epoch})
                time.sleep(0.005)
            write(output_dir, "checkpoint.pth", {"epoch": epoch})
            write(output_dir, "checkpoint_best_regular.pth", {})
            share = (epoch + 1) / epochs
            results = {"map": share, "precision": 0.75, "recall": 0.5}
            log = {
                "epoch": epoch,
                "train_loss": 2.0,
                "test_coco_eval_bbox": [share / 2, share],
                "test_results_json": results,
                "ema_test_coco_eval_bbox": [share / 4, share / 2],
                "ema_test_results_json": results,
            }
            for callback in self.callbacks["on_fit_epoch_end"]:
                callback(log)
        write(output_dir, "checkpoint_best_total.pth", {})
        row = {"map@50": 0.5, "map@50:95": 0.25, "precision": 1.0, "recall": 0.125}
        test = [{"class": "square", **row, "recall": 1.0}, {"class": "all", **row}]
        write(output_dir, "results.json", {"class_map": {"valid": [], "test": test}})

    def export(self, output_dir, opset_version, verbose):
        """The same boxes each time; the second score is the mean of what it is shown."""
        dets = numpy.array([[[0.5, 0.25, 0.125, 0.0625]] * BOXES], numpy.float32)
        pick = numpy.array([[[0, 1, 0]] * BOXES], numpy.float32)
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            [
                helper.make_node("ReduceMean", ["input"], ["mean"], keepdims=0),
                helper.make_node("Mul", ["mean", "pick"], ["labels"]),
                helper.make_node("Identity", ["boxes"], ["dets"]),
            ],
            "stand-in",
            [info("input", TensorProto.FLOAT, [1, 3, 384, 384])],
            [
                info("dets", TensorProto.FLOAT, [1, BOXES, 4]),
                info("labels", TensorProto.FLOAT, [1, BOXES, 3]),
            ],
            [numpy_helper.from_array(pick, "pick"), numpy_helper.from_array(dets, "boxes")],
        )
        opset = [helper.make_opsetid("", min(13, opset_version))]
        model = helper.make_model(graph, opset_imports=opset, ir_version=7)
        onnx.save(model, os.path.join(output_dir, "inference_model.onnx"))


def write(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file)
