"""Writes test/fixtures/coco-keypoints.json: made keypoints, and what pycocotools says of them.

pip install pycocotools
python3 scripts/test-reference/coco_keypoints.py > test/fixtures/coco-keypoints.json
"""

import contextlib
import io
import json
import random
from importlib.metadata import version

import numpy
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

random.seed("keypoints")
IMAGES = 24
CLASSES = 2
POINTS = 17


def person(image, category, side):
    left, top = random.uniform(0, 400), random.uniform(0, 400)
    width, height = side, side * random.uniform(0.8, 1.6)
    points = []
    for _ in range(POINTS):
        visibility = random.choice([0, 1, 2, 2, 2])
        x = left + random.uniform(0, width) if visibility else 0
        y = top + random.uniform(0, height) if visibility else 0
        points += [round(x, 2), round(y, 2), visibility]
    box = [round(value, 2) for value in (left, top, width, height)]
    return {
        "image_id": image,
        "category_id": category,
        "bbox": box,
        "area": round(box[2] * box[3] * random.choice([0.53, 1, 1]), 2),
        "iscrowd": 0,
        "keypoints": points,
    }


def made_labels():
    labels = []
    for image in range(1, IMAGES + 1):
        for _ in range(random.choice([0, 1, 2, 3, 5])):
            side = random.choice([12, 31, 32, 33, 60, 95, 96, 97, 150, 250])
            labels.append(person(image, random.randint(1, CLASSES), side))
        if image % 5 == 0:
            labels.append({**person(image, 1, 200), "iscrowd": 1})
        if image % 4 == 0:
            labels.append({**person(image, 1, 80), "keypoints": [0] * 3 * POINTS})
    for place, label in enumerate(labels, 1):
        label["id"] = place
        label["num_keypoints"] = sum(1 for value in label["keypoints"][2::3] if value > 0)
    return labels


def found(label, spread, score):
    _, _, width, height = label["bbox"]
    sides = (width, height)
    points = []
    for at in range(0, 3 * POINTS, 3):
        for side in (0, 1):
            there = label["keypoints"][at + side] or label["bbox"][side] + sides[side] / 2
            points.append(round(there + random.gauss(0, spread * sides[side]), 2))
        points.append(1)
    return {
        "image_id": label["image_id"],
        "category_id": label["category_id"],
        "keypoints": points,
        "score": score,
    }


def made_results(labels):
    results = []
    for label in labels:
        for _ in range(random.choice([0, 1, 1, 2])):
            spread = random.choice([0.01, 0.03, 0.06, 0.1, 0.3])
            results.append(found(label, spread, round(random.random(), 1)))
    # More than count, of which those with the lowest scores are right.
    crowd = [label for label in labels if label["image_id"] == 2]
    for label in crowd:
        results += [found(label, 0.5, round(0.9 - place / 100, 2)) for place in range(25)]
        results.append(found(label, 0.001, 0.05))
    for image in range(1, IMAGES + 1, 3):
        stray = person(image, random.randint(1, CLASSES), random.choice([20, 70, 200]))
        results.append(found(stray, 0.01, round(random.random(), 1)))
    return results


def judge(labels, results):
    truth = COCO()
    truth.dataset = {
        "images": [{"id": image, "width": 800, "height": 800} for image in range(1, IMAGES + 1)],
        "categories": [{"id": number, "name": str(number)} for number in range(1, CLASSES + 1)],
        "annotations": labels,
    }
    truth.createIndex()
    evaluation = COCOeval(truth, truth.loadRes(results), "keypoints")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    precision = evaluation.eval["precision"]
    of_classes = [float(numpy.mean(precision[:, :, at, 0, 0])) for at in range(CLASSES)]
    return [float(figure) for figure in evaluation.stats], of_classes


with contextlib.redirect_stdout(io.StringIO()):
    LABELS = made_labels()
    RESULTS = made_results(LABELS)
    # As a file has it, before pycocotools adds boxes and areas.
    WRITTEN = json.loads(json.dumps(RESULTS))
    FIGURES, OF_CLASSES = judge(LABELS, RESULTS)

print(
    json.dumps(
        {
            "by": f"pycocotools {version('pycocotools')}",
            "images": IMAGES,
            "annotations": LABELS,
            "results": WRITTEN,
            "figures": FIGURES,
            "ap_of_classes": OF_CLASSES,
        },
        separators=(",", ":"),
    )
)
