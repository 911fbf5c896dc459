"""
The dataset of a job as RF-DETR reads it: images already on the square canvas on which Fovea runs
the model, as RF-DETR would stretch them.
"""

import json
import os

from PIL import Image

from canvas import Canvas
from coco import has_labels, need_labels, read_split
from progress import SPLITS

# Category 0 is the parent of all; the number of a category is the place of its score.
PARENT = "objects"


def write_dataset(job, folder, size):
    """How many images each split has. Throws where there is nothing to learn or to measure."""
    examples = {split: read_split(job.dataset, split, job.classes) for split in SPLITS}
    need_labels(examples["train"], "train", "learn from")
    need_labels(examples["valid"], "valid", "measure on")
    if not any(has_labels(example) for example in examples["test"]):
        # Its folder is opened all the same.
        examples["test"] = []
    for split, images in examples.items():
        write_split(images, os.path.join(folder, split), job.classes, size)
    return {split: len(images) for split, images in examples.items()}


def write_split(examples, folder, classes, size):
    os.makedirs(folder)
    canvas = Canvas(size)
    images, annotations = [], []
    for number, example in enumerate(examples):
        pixels, boxes, labels = canvas.load(example)
        name = f"{number}.png"
        # Quick to write: it is read many times, and removed with the training.
        Image.fromarray(pixels).save(os.path.join(folder, name), compress_level=1)
        images.append({"id": number, "file_name": name, "width": size, "height": size})
        for (left, top, right, bottom), label in zip(boxes.tolist(), labels.tolist()):
            width, height = right - left, bottom - top
            annotations.append(
                {
                    "id": len(annotations),
                    "image_id": number,
                    "category_id": label + 1,
                    "bbox": [left, top, width, height],
                    "area": width * height,
                    "segmentation": [],
                    "iscrowd": 0,
                }
            )
    categories = [{"id": 0, "name": PARENT, "supercategory": "none"}]
    for number, name in enumerate(classes):
        categories.append({"id": number + 1, "name": name, "supercategory": PARENT})
    with open(os.path.join(folder, "_annotations.coco.json"), "w", encoding="utf-8") as file:
        json.dump({"images": images, "annotations": annotations, "categories": categories}, file)
