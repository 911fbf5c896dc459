"""Writes test/fixtures/coco-masks.json: made masks, and what pycocotools says of them.

pip install pycocotools; python3 scripts/test-reference/coco_masks.py > test/fixtures/coco-masks.json
"""

import contextlib
import io
import json
import random
from importlib.metadata import version

from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

random.seed("masks")
HEIGHT, WIDTH = 240, 320


def blob(x, y, size, corners):
    """Corners around a place, not in order of their angles: some edges cross."""
    places = []
    for _ in range(corners):
        places += [round(x + random.gauss(0, size), 2), round(y + random.gauss(0, size), 2)]
    return places


def runs(polygons):
    return mask.merge(mask.frPyObjects(polygons, HEIGHT, WIDTH))


def text(encoded):
    return {"size": encoded["size"], "counts": encoded["counts"].decode()}


def numbers(encoded):
    """The same, not compressed."""
    counts, value, count = [], 0, 0
    for pixel in mask.decode(encoded).T.ravel():
        if pixel != value:
            counts.append(count)
            value, count = pixel, 0
        count += 1
    return {"size": encoded["size"], "counts": [int(one) for one in [*counts, count]]}


def outlines():
    given = [blob(random.uniform(-20, 340), random.uniform(-20, 260), 60, n) for n in range(3, 40)]
    given += [
        [0, 0, WIDTH, 0, WIDTH, HEIGHT, 0, HEIGHT],
        [-50, -50, 400, -50, 400, 300, -50, 300],
        [10, 10, 10, 10, 10, 10],
        [10, 10, 60, 10, 30, 10],
        [20.5, 5, 20.5, 60, 20.5, 90],
        [330, 20, 430, 20, 380, 90],
        [-9000, 70, 9000, 71, 9000, 75.5, -9000, 74.2],
        [0.1, 0.1, 3.4, 0.1, 3.4, 3.4],
    ]
    return [{"outline": one, "counts": text(runs([one]))["counts"]} for one in given]


def example():
    images, annotations, results = [], [], []
    for number in range(1, 31):
        images.append({"id": number, "height": HEIGHT, "width": WIDTH})
        for _ in range(random.randint(0, 5)):
            category = random.randint(1, 3)
            size = random.choice([5, 15, 90])
            x, y = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
            polygons = [blob(x, y, size, random.randint(4, 9)) for _ in range(random.choice([1, 1, 3]))]
            area = int(mask.area(runs(polygons)))
            if area == 0:
                continue
            crowd = int(random.random() < 0.1)
            segmentation = numbers(runs(polygons)) if crowd else polygons
            annotations.append({
                "id": len(annotations) + 1, "image_id": number, "category_id": category,
                "area": area, "iscrowd": crowd, "segmentation": segmentation,
                "bbox": [float(side) for side in mask.toBbox(runs(polygons))],
            })
            for _ in range(random.choice([0, 1, 1, 2])):
                moved = [[round(at + random.gauss(0, size / 9), 2) for at in one] for one in polygons]
                found = runs(moved)
                results.append({
                    "image_id": number,
                    "category_id": category if random.random() < 0.85 else random.randint(1, 3),
                    # Some scores are there several times.
                    "score": round(random.random(), 2),
                    "segmentation": text(found),
                })
    return images, annotations, results


def figures(images, annotations, results):
    truth = COCO()
    categories = [{"id": number, "name": str(number)} for number in (1, 2, 3)]
    truth.dataset = {"images": images, "annotations": annotations, "categories": categories}
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        judged = COCOeval(truth, truth.loadRes(results), "segm")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return [float(figure) for figure in judged.stats]


def lines(rows):
    """A test of the sources takes a question mark and a digit for SQL."""
    texts = (json.dumps(row, separators=(",", ":")).replace("?", "\\u003f") for row in rows)
    return "[\n" + ",\n".join(texts) + "\n]"


images, annotations, results = example()
expected = figures(*json.loads(json.dumps([images, annotations, results])))
for one in results[::5]:
    one["segmentation"] = numbers(one["segmentation"])
print(f"""{{
"source": "scripts/test-reference/coco_masks.py with pycocotools {version('pycocotools')}",
"height": {HEIGHT}, "width": {WIDTH}, "images": {len(images)},
"outlines": {lines(outlines())},
"annotations": {lines(annotations)},
"results": {lines(results)},
"figures": {json.dumps(expected)}
}}""")
