"""A COCO export in memory: images on the canvas of the model, as Fovea puts them there later."""

import json
import os
import random

import numpy
import torch
from PIL import Image

GREY = 114


class Example:
    """One image file and its boxes, in pixels of the file."""

    def __init__(self, path, boxes, labels):
        self.path = path
        self.boxes = boxes
        self.labels = labels


def read_split(folder, split, classes):
    """The images of a split; none where the split is not there."""
    path = os.path.join(folder, split, "_annotations.coco.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        coco = json.load(file)
    # By name: their ids count from 1, after the parent of all classes.
    names = {category["id"]: category["name"] for category in coco["categories"]}
    parents = {category["id"] for category in coco["categories"] if is_parent(category)}
    boxes = {image["id"]: [] for image in coco["images"]}
    for annotation in coco["annotations"]:
        left, top, width, height = annotation["bbox"]
        category = annotation["category_id"]
        if width > 0 and height > 0 and category not in parents:
            corners = [left, top, left + width, top + height]
            boxes[annotation["image_id"]].append((corners, classes.index(names[category])))
    return [
        Example(
            os.path.join(folder, split, image["file_name"]),
            [corners for corners, _ in boxes[image["id"]]],
            [label for _, label in boxes[image["id"]]],
        )
        for image in coco["images"]
    ]


def is_parent(category):
    return category["id"] == 0 and category.get("supercategory") == "none"


class Canvas:
    """Images in the middle of a grey square, as large as they fit: src/imaging/letterbox-resize.ts."""

    def __init__(self, size):
        self.size = size

    def place(self, width, height):
        scale = min(self.size / width, self.size / height)
        scaled = [min(self.size, max(1, round_half_up(side * scale))) for side in (width, height)]
        left, top = (round_half_up((self.size - side) / 2 - 0.1) for side in scaled)
        return scaled, left, top

    def load(self, example):
        """Pixels from 0 to 1, [3, size, size], with boxes and labels in pixels of the canvas."""
        with Image.open(example.path) as file:
            image = file.convert("RGB")
        (width, height), left, top = self.place(*image.size)
        across, down = width / image.size[0], height / image.size[1]
        if image.size != (width, height):
            image = image.resize((width, height), Image.BILINEAR)
        canvas = numpy.full((self.size, self.size, 3), GREY, numpy.uint8)
        canvas[top : top + height, left : left + width] = numpy.asarray(image)
        boxes = torch.tensor(example.boxes, dtype=torch.float32).reshape(-1, 4)
        boxes = boxes * torch.tensor([across, down, across, down])
        boxes = boxes + torch.tensor([left, top, left, top], dtype=torch.float32)
        return torch.from_numpy(canvas), boxes, torch.tensor(example.labels, dtype=torch.int64)


def round_half_up(value):
    return int(value + 0.5)


class Images(torch.utils.data.Dataset):
    """`changes`: mirrored, scaled, moved and coloured at random, another way in each epoch."""

    def __init__(self, examples, canvas, changes=None):
        self.examples = examples
        self.canvas = canvas
        self.changes = changes
        self.epoch = 0

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        pixels, boxes, labels = self.canvas.load(self.examples[index])
        pixels = pixels.permute(2, 0, 1).float() / 255
        if self.changes is not None:
            # Of the image and the epoch alone, so that a training that goes on sees what it would have.
            chance = random.Random(f"{self.changes}-{self.epoch}-{index}")
            pixels, boxes, labels = changed(pixels, boxes, labels, chance)
        return pixels, boxes, labels


def changed(pixels, boxes, labels, chance):
    size = pixels.shape[-1]
    if chance.random() < 0.5:
        pixels = pixels.flip(-1)
        boxes = torch.stack([size - boxes[:, 2], boxes[:, 1], size - boxes[:, 0], boxes[:, 3]], 1)
    if chance.random() < 0.5:
        pixels, boxes, labels = zoomed(pixels, boxes, labels, chance)
    brightness, contrast = (1 + 0.2 * (2 * chance.random() - 1) for _ in range(2))
    mean = pixels.mean()
    return (((pixels - mean) * contrast + mean) * brightness).clamp(0, 1), boxes, labels


def zoomed(pixels, boxes, labels, chance):
    """Up to 1.3 times larger or smaller, around a point of the image."""
    size = pixels.shape[-1]
    scale = 1.3 ** (2 * chance.random() - 1)
    # Where the upper left corner goes: inside when smaller, outside when larger.
    left, top = ((size - size * scale) * chance.random() for _ in range(2))
    grid = torch.arange(size, dtype=torch.float32) + 0.5
    x, y = (((grid - corner) / scale) * 2 / size - 1 for corner in (left, top))
    places = torch.stack([x.expand(size, size), y.unsqueeze(1).expand(size, size)], -1)
    sampled = torch.nn.functional.grid_sample(
        pixels.unsqueeze(0) - GREY / 255, places.unsqueeze(0), align_corners=False
    )
    pixels = sampled.squeeze(0) + GREY / 255
    moved = boxes * scale + torch.tensor([left, top, left, top])
    inside = moved.clamp(0, size)
    # An object that is cut to less than a third is none.
    kept = area(inside) > area(moved) / 3
    return pixels, inside[kept], labels[kept]


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def collate(batch):
    pixels, boxes, labels = zip(*batch)
    return torch.stack(pixels), boxes, labels
