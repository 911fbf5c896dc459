"""Writes test/fixtures/coco-boxes.json: made boxes, and what pycocotools says of them.

pip install pycocotools; python3 scripts/test-reference/coco_boxes.py > test/fixtures/coco-boxes.json
"""

import contextlib
import io
import json
import random
from importlib.metadata import version

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

random.seed("boxes")
HEIGHT, WIDTH = 480, 640
# The last has no labels.
CLASSES = 6


def any_class():
    return random.randrange(CLASSES - 1)


def box(side):
    """Below 32, below 96 and from 96 on, a side makes a small, a medium and a large object."""
    width, height = side * random.uniform(0.7, 1.3), side * random.uniform(0.7, 1.3)
    left = random.uniform(0, max(1, WIDTH - width))
    top = random.uniform(0, max(1, HEIGHT - height))
    return [round(one, 2) for one in (left, top, width, height)]


def label(kind, place, is_crowd=False):
    """An object fills its box in part: its area, which decides on its size, is smaller."""
    return [kind, *place, round(place[2] * place[3] * random.uniform(0.4, 1), 3), int(is_crowd)]


def moved(place, share):
    left, top, width, height = place
    return [
        round(left + random.gauss(0, share) * width, 2),
        round(top + random.gauss(0, share) * height, 2),
        round(width * random.uniform(1 - share, 1 + share), 2),
        round(height * random.uniform(1 - share, 1 + share), 2),
    ]


def score():
    """Some are there several times."""
    return round(random.random(), 2)


def found_for(kind, place):
    """Nothing, one or two boxes, some of another class."""
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        named = kind if random.random() < 0.85 else random.randrange(CLASSES)
        yield [named, *moved(place, random.choice([0.02, 0.08, 0.2])), score()]


def usual_image():
    labels, found = [], []
    for _ in range(random.choice([0, 1, 3, 8])):
        kind, place = any_class(), box(random.choice([12, 30, 60, 120, 260]))
        labels.append(label(kind, place, random.random() < 0.07))
        found += found_for(kind, place)
    for _ in range(random.choice([0, 0, 1, 3])):
        found.append([random.randrange(CLASSES), *box(random.choice([20, 70, 150])), score()])
    return {"ground_truth": labels, "detections": found}


def image_at_edges():
    """Areas of exactly 32 x 32 and 96 x 96 pixels, where one size ends and the next begins."""
    labels, found = [], []
    for side in (32, 96):
        place = [random.randrange(500), random.randrange(380), side, side]
        kind = any_class()
        labels.append([kind, *place, side * side, 0])
        found.append([kind, *place, score()])
        found.append([any_class(), random.randrange(500), random.randrange(380), side, side, score()])
    return {"ground_truth": labels, "detections": found}


def crowded_image():
    """One class, more detections than the 100 that count, and a crowd over a half of it."""
    labels = [label(0, [0, 0, WIDTH / 2, HEIGHT], True)]
    places = [box(random.choice([20, 50])) for _ in range(40)]
    labels += [label(0, place) for place in places]
    found = [[0, *moved(place, 0.05), score()] for place in places for _ in range(4)]
    return {"ground_truth": labels, "detections": found}


def dataset(images):
    annotations, results = [], []
    for number, image in enumerate(images, 1):
        for kind, left, top, width, height, area, crowd in image["ground_truth"]:
            annotations.append({
                "id": len(annotations) + 1, "image_id": number, "category_id": kind + 1,
                "bbox": [left, top, width, height], "area": area, "iscrowd": crowd,
            })
        for kind, left, top, width, height, sure in image["detections"]:
            results.append({
                "image_id": number, "category_id": kind + 1,
                "bbox": [left, top, width, height], "score": sure,
            })
    truth = COCO()
    truth.dataset = {
        "images": [
            {"id": number, "height": HEIGHT, "width": WIDTH} for number in range(1, len(images) + 1)
        ],
        "annotations": annotations,
        "categories": [{"id": number, "name": str(number)} for number in range(1, CLASSES + 1)],
    }
    return truth, results


def mean(values):
    known = values[values > -1]
    return float(known.mean()) if known.size else -1


def figures(images):
    with contextlib.redirect_stdout(io.StringIO()):
        truth, results = dataset(images)
        truth.createIndex()
        judged = COCOeval(truth, truth.loadRes(results), "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    # By threshold, recall, class, size and number of detections; recalls have no second.
    precision, recall = judged.eval["precision"], judged.eval["recall"]
    return {
        "figures": [float(figure) for figure in judged.stats],
        "ap_of_classes": [mean(precision[:, :, kind, 0, -1]) for kind in range(CLASSES)],
        "ar_of_classes": [mean(recall[:, kind, 0, -1]) for kind in range(CLASSES)],
    }


def text(value):
    """A test of the sources takes a question mark and a digit for SQL."""
    return json.dumps(value, separators=(",", ":")).replace("?", "\\u003f")


def written(images):
    rows = ",\n".join(text(image) for image in images)
    return f'{{"images": [\n{rows}\n],\n"expected": {text(figures(images))}}}'


usual = [usual_image() for _ in range(100)] + [image_at_edges() for _ in range(10)]
crowded = [crowded_image()]
print(f"""{{
"source": "scripts/test-reference/coco_boxes.py with pycocotools {version('pycocotools')}",
"columns": {{
"ground_truth": "class, left, top, width, height, area, is crowd",
"detections": "class, left, top, width, height, score"
}},
"classes": {CLASSES},
"usual": {written(usual)},
"crowded": {written(crowded)},
"together": {text(figures(usual + crowded))}
}}""")
