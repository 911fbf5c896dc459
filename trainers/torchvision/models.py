"""Detectors of torchvision, and their numbers as one tensor: boxes, then a score for each class."""

import math
import os

import torch
from torch import nn
from torchvision.models import get_model_weights, resnet18, resnet50
from torchvision.models.detection import FCOS, ssdlite320_mobilenet_v3_large
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.image_list import ImageList
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

from job import JobError
from weights import weights_of


class Recipe:
    """`build(classes, size)`; `published`: the weights that fit, by the name of their model."""

    def __init__(self, build, published, decode):
        self.build = build
        self.published = published
        self.decode = decode


def ssdlite(classes, size):
    if size != 320:
        raise JobError("torchvision-ssdlite has one imageSize: 320.")
    # Without weights of its backbone: torchvision would fetch them.
    return ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=classes + 1
    )


def fcos_small(classes, size):
    """ResNet-18 with pyramids of 64 channels: what a processor without GPU can train."""
    return fcos(resnet18(weights=None), 64, classes, size)


def fcos_large(classes, size):
    """The one for which torchvision publishes weights."""
    return fcos(resnet50(weights=None), 256, classes, size)


def fcos(body, channels, classes, size):
    if size % 32 != 0:
        raise JobError("imageSize must be a multiple of 32.")
    layers = {"layer2": "0", "layer3": "1", "layer4": "2"}
    inputs = [body.inplanes // 4, body.inplanes // 2, body.inplanes]
    extra = LastLevelP6P7(channels, channels)
    backbone = BackboneWithFPN(body, layers, inputs, channels, extra)
    sizes = ((8,), (16,), (32,), (64,), (128,))
    anchors = AnchorGenerator(sizes, ((1.0,),) * len(sizes))
    # Images come in this size: nothing is scaled.
    model = FCOS(backbone, classes + 1, anchor_generator=anchors, min_size=size, max_size=size)
    # Sides end in a ReLU, which may die at 0: then all boxes stay empty.
    nn.init.ones_(model.head.regression_head.bbox_reg.bias)
    return model


def decode_fcos(outputs, anchors):
    sides = anchors[:, 2] - anchors[:, 0]
    x, y = (anchors[:, 0] + anchors[:, 2]) / 2, (anchors[:, 1] + anchors[:, 3]) / 2
    left, top, right, bottom = (outputs["bbox_regression"] * sides[:, None]).unbind(2)
    boxes = [x + (right - left) / 2, y + (bottom - top) / 2, left + right, top + bottom]
    # Class 0 is the background, which FCOS does not use.
    sure = outputs["cls_logits"][..., 1:].sigmoid() * outputs["bbox_ctrness"].sigmoid()
    return boxes, sure.sqrt()


def decode_ssd(outputs, anchors):
    widths, heights = anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]
    x, y = anchors[:, 0] + widths / 2, anchors[:, 1] + heights / 2
    across, down, wide, high = outputs["bbox_regression"].unbind(2)
    most = math.log(1000 / 16)
    boxes = [
        x + across / 10 * widths,
        y + down / 10 * heights,
        widths * (wide / 5).clamp(max=most).exp(),
        heights * (high / 5).clamp(max=most).exp(),
    ]
    return boxes, outputs["cls_logits"].softmax(2)[..., 1:]


RECIPES = {
    "torchvision-fcos-resnet18": Recipe(fcos_small, "resnet18", decode_fcos),
    "torchvision-fcos-resnet50": Recipe(fcos_large, "fcos_resnet50_fpn", decode_fcos),
    "torchvision-ssdlite": Recipe(ssdlite, "ssdlite320_mobilenet_v3_large", decode_ssd),
}


class Detector(nn.Module):
    """
    What Fovea runs: [1, 3, size, size], red, green and blue from 0 to 1, to
    [1, 4 + classes, boxes]. Mean and deviation are inside.
    """

    def __init__(self, model_type, classes, size):
        super().__init__()
        recipe = RECIPES[model_type]
        self.model = recipe.build(classes, size)
        self.decode = recipe.decode
        scale = self.model.transform
        self.register_buffer("mean", torch.tensor(scale.image_mean).view(1, 3, 1, 1), False)
        self.register_buffer("deviation", torch.tensor(scale.image_std).view(1, 3, 1, 1), False)
        self.register_buffer("anchors", self.anchors_for(size), False)

    @torch.no_grad()
    def anchors_for(self, size):
        self.model.eval()
        pixels = torch.zeros(1, 3, size, size)
        features = list(self.model.backbone(pixels).values())
        return self.model.anchor_generator(ImageList(pixels, [(size, size)]), features)[0]

    def forward(self, pixels):
        features = self.model.backbone((pixels - self.mean) / self.deviation)
        boxes, scores = self.decode(self.model.head(list(features.values())), self.anchors)
        return torch.cat([torch.stack(boxes, 1), scores.transpose(1, 2)], 1)

    def losses(self, pixels, boxes, labels):
        """Those of torchvision, by name. Its classes count from 1."""
        targets = [{"boxes": box, "labels": label + 1} for box, label in zip(boxes, labels)]
        return self.model(list(pixels), targets)


def start_weights(detector, job):
    published = RECIPES[job.model_type].published
    model = detector.model
    return load_published(
        detector, job, published, model.backbone.body if published.startswith("resnet") else model
    )


def load_published(module, job, name, part):
    """
    How many values of the module come from weights: 0 for a start from nothing. Those published
    under the name are of this part.
    """
    if job.checkpoint is not None:
        return load_matching(module, values_of_onnx(job.checkpoint))
    weights = weights_of(job)
    if weights == "random":
        return 0
    published = get_model_weights(name).DEFAULT
    path = os.path.join(torch.hub.get_dir(), "checkpoints", os.path.basename(published.url))
    if weights == "download" and not os.path.exists(path):
        published.get_state_dict(progress=False)
    if not os.path.exists(path):
        return 0
    # Only tensors are read: other pickles could run code.
    return load_matching(part, torch.load(path, map_location="cpu", weights_only=True))


def load_matching(module, values):
    """Takes what has the same name and shape; the scores of other classes stay out."""
    own = module.state_dict()
    fitting = {
        name: value
        for name, value in values.items()
        if name in own and own[name].shape == value.shape
    }
    module.load_state_dict(fitting, strict=False)
    return sum(value.numel() for value in fitting.values())


def values_of_onnx(path):
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    return {one.name: torch.tensor(numpy_helper.to_array(one)) for one in graph.initializer}
