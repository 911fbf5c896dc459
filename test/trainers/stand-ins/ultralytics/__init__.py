"""
Stands in for Ultralytics, which the tests cannot fetch: the calls and callbacks that the trainer
uses, as its source has them. It learns nothing. What it is given goes to standard error.
"""

import json
import os
import sys
import time
from types import SimpleNamespace

import onnx
from onnx import TensorProto, helper

STEPS = 4


class YOLO:
    def __init__(self, model):
        self.model = model
        self.callbacks = {}

    def add_callback(self, event, callback):
        self.callbacks[event] = callback

    def train(self, resume=False, **given):
        first = 0
        weights = os.path.dirname(self.model)
        if resume:
            with open(self.model, encoding="utf-8") as file:
                saved = json.load(file)
            given, first = {**saved["given"], **given}, saved["epoch"] + 1
            assert 0 < first < given["epochs"], "training is finished, nothing to resume."
        else:
            weights = os.path.join(given["project"], given["name"], "weights")
            os.makedirs(weights, exist_ok=True)
        say("train", {"model": os.path.basename(self.model), "resume": resume, **given})
        trainer = SimpleNamespace(epochs=given["epochs"], train_loader=range(STEPS), stop=False)
        trainer.best_fitness = 0
        for trainer.epoch in range(first, given["epochs"]):
            begun = time.time()
            for _ in trainer.train_loader:
                self.callbacks["on_train_batch_start"](trainer)
                time.sleep(0.005)
            trainer.fitness = trainer.best_fitness = (trainer.epoch + 1) / given["epochs"]
            trainer.metrics = figures(trainer.fitness)
            trainer.tloss = {"box_loss": 1.5, "cls_loss": 0.5}
            trainer.epoch_time = time.time() - begun
            trainer.stop = trainer.epoch + 1 == given["epochs"]
            for name in ("last.pt", "best.pt"):
                with open(os.path.join(weights, name), "w", encoding="utf-8") as file:
                    json.dump({"epoch": trainer.epoch, "given": given}, file)
            self.callbacks["on_fit_epoch_end"](trainer)
        trainer.epoch += 1
        trainer.metrics = figures(0)
        self.callbacks["on_fit_epoch_end"](trainer)

    def val(self, **given):
        say("val", given)
        return SimpleNamespace(results_dict=figures(0.5 if given["split"] == "val" else 0.25))

    def export(self, **given):
        say("export", given)
        shape = [1, 5, 1]
        graph = helper.make_graph(
            [helper.make_node("Constant", [], ["output0"], value=zeros(shape))],
            "stand-in",
            [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 32, 32])],
            [helper.make_tensor_value_info("output0", TensorProto.FLOAT, shape)],
        )
        opset = [helper.make_opsetid("", 13)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=7)
        helper.set_model_props(model, {"names": "{0: '00000'}", "task": "detect"})
        path = self.model.replace(".pt", ".onnx")
        onnx.save(model, path)
        return path


def zeros(shape):
    return helper.make_tensor("zeros", TensorProto.FLOAT, shape, [0.0] * 5)


def figures(value):
    found = {f"metrics/{name}(B)": value for name in ("mAP50", "mAP50-95", "precision", "recall")}
    return {**found, "metrics/mAP50(M)": 1.0, "metrics/accuracy_top1": value, "fitness": value}


def say(call, given):
    folders = {}
    if os.path.isdir(str(given.get("data"))):
        paths = (os.path.join(at, one) for at, _, files in os.walk(given["data"]) for one in files)
        folders = {"files": sorted(os.path.relpath(path, given["data"]) for path in paths)}
    print(json.dumps({"call": call, **given, **folders}), file=sys.stderr)
