"""Reads the datasets of jobs in the form of COCO."""

import json
import os

from content_order import by_content
from job import JobError


class Example:
    """One image file and its boxes, in pixels of the file."""

    def __init__(self, path, boxes, labels):
        self.path = path
        self.boxes = boxes
        self.labels = labels


def read_split(folder, split, classes):
    """The images of a split, by their contents; none where the split is not there."""
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
    examples = []
    for image in coco["images"]:
        # The order of labels is that in which people drew them.
        mine = sorted(boxes[image["id"]])
        corners, labels = [one for one, _ in mine], [label for _, label in mine]
        examples.append(Example(os.path.join(folder, split, image["file_name"]), corners, labels))
    labels_of = lambda one: list(zip(one.boxes, one.labels))
    return by_content(examples, lambda one: one.path, labels_of)


def is_parent(category):
    return category["id"] == 0 and category.get("supercategory") == "none"


def has_labels(example):
    return bool(example.boxes)


def need_labels(examples, split, purpose):
    if not any(has_labels(example) for example in examples):
        raise JobError(f"The {split} split has no labelled boxes to {purpose}.")
