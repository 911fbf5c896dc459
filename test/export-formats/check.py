"""Reads exports with other people's readers: csv, json, xml.etree, OpenCV, and PyYAML if it is there.

Called with the folder of the unpacked exports and of expected.json; prints what it has compared.
"""

import csv
import json
import pathlib
import struct
import sys
import xml.etree.ElementTree as ElementTree

import cv2
import numpy

root = pathlib.Path(sys.argv[1])
expected = json.loads((root / "expected.json").read_text("utf-8"))
width, height, classes = expected["width"], expected["height"], expected["classes"]


def near(a, b, tolerance):
    assert len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b)), (a, b)


def edges(box):
    half = box["width"] / 2, box["height"] / 2
    return [box["x"] - half[0], box["y"] - half[1], box["x"] + half[0], box["y"] + half[1]]


def check_masks():
    pixels = 0
    with open(root / "png-mask-semantic/train/_classes.csv", newline="", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    assert rows[0] == ["Pixel Value", "Class"] and rows[1] == ["0", "background"], rows[:2]
    assert [name for _, name in rows[2:]] == classes
    for image in expected["images"]:
        path = root / "png-mask-semantic/train" / (image["stem"] + "_mask.png")
        mask = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        assert mask.shape == (height, width) and mask.dtype == numpy.uint8, mask.shape
        (box,) = image["boxes"]
        value = classes.index(box["label"]) + 1
        outline = numpy.array(box["points"], numpy.float32).reshape(-1, 1, 2)
        for y in range(height):
            for x in range(width):
                distance = cv2.pointPolygonTest(outline, (x + 0.5, y + 0.5), True)
                if abs(distance) < 1e-3:
                    continue
                assert mask[y, x] == (value if distance > 0 else 0), (path, x, y, distance)
                pixels += 1
    print("mask pixels like cv2.pointPolygonTest:", pixels)


def check_turned_boxes():
    count = 0
    for image in expected["images"]:
        row = (root / "yolov8-obb/train/labels" / (image["stem"] + ".txt")).read_text().split()
        (box,) = image["boxes"]
        assert classes[int(row[0])] == box["label"]
        corners = numpy.array(row[1:], float).reshape(4, 2) * [width, height]
        outline = numpy.array(box["points"], numpy.float32)
        _, size, _ = cv2.minAreaRect(outline)
        sides = [numpy.linalg.norm(corners[i] - corners[i - 1]) for i in range(4)]
        near(sides[:2], sides[2:], 1e-4)
        area = sides[0] * sides[1]
        # OpenCV works with 32 bits.
        assert area <= size[0] * size[1] * (1 + 1e-4) + 1e-3, (area, size)
        assert area >= size[0] * size[1] * (1 - 1e-4) - 1e-3, (area, size)
        around = corners.astype(numpy.float32).reshape(-1, 1, 2)
        for point in outline:
            assert cv2.pointPolygonTest(around, (float(point[0]), float(point[1])), True) > -1e-2
        count += 1
    print("turned boxes like cv2.minAreaRect:", count)


def check_records():
    data = (root / "tfrecord/train/cells.tfrecord").read_bytes()
    at = count = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        example = features(data[at + 12 : at + 12 + length])
        image, (box,) = expected["images"][count], expected["images"][count]["boxes"]
        pixels = cv2.imdecode(numpy.frombuffer(example["image/encoded"][0], numpy.uint8), 1)
        assert pixels.shape == (height, width, 3)
        assert example["image/filename"] == [(image["stem"] + ".png").encode()]
        assert example["image/object/class/text"] == [box["label"].encode()]
        assert example["image/object/class/label"] == bytes([classes.index(box["label"]) + 1])
        shares = [example["image/object/bbox/" + side] for side in ("xmin", "ymin", "xmax", "ymax")]
        found = [struct.unpack("<f", share)[0] for share in shares]
        near([x * s for x, s in zip(found, [width, height] * 2)], edges(box), 1e-4)
        at, count = at + length + 16, count + 1
    print("records:", count)


def fields(message):
    at = 0
    while at < len(message):
        tag, length, at = message[at], 0, at + 1
        shift = 0
        while True:
            byte, at = message[at], at + 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        assert tag & 7 == 2
        yield tag >> 3, message[at : at + length]
        at += length


def features(message):
    ((_, entries),) = fields(message)
    found = {}
    for _, entry in fields(entries):
        parts = dict(fields(entry))
        ((kind, values),) = fields(parts[2])
        own = [value for _, value in fields(values)]
        found[parts[1].decode()] = own if kind == 1 else b"".join(own)
    return found


def check_texts():
    count = 0
    coco = json.loads((root / "coco/train/_annotations.coco.json").read_text("utf-8"))
    names = {category["id"]: category["name"] for category in coco["categories"]}
    for image, annotation in zip(expected["images"], coco["annotations"]):
        (box,) = image["boxes"]
        x, y, wide, high = annotation["bbox"]
        near([x, y, x + wide, y + high], edges(box), 1e-5)
        assert names[annotation["category_id"]] == box["label"]
        outline = numpy.array(annotation["segmentation"][0], numpy.float32).reshape(-1, 1, 2)
        assert abs(cv2.contourArea(outline) - annotation["area"]) < 0.01
        tree = ElementTree.parse(root / "voc/train" / (image["stem"] + ".xml"))
        assert tree.findtext("object/name") == box["label"]
        sides = ("xmin", "ymin", "xmax", "ymax")
        near([float(tree.findtext("object/bndbox/" + side)) for side in sides], edges(box), 1e-5)
        count += 1
    with open(root / "multiclass/train/_classes.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [name.strip() for name in rows[0]] == ["filename", *classes]
    for row, image in zip(rows[1:], expected["images"]):
        (box,) = image["boxes"]
        assert row[0] == image["stem"] + ".png"
        assert [int(cell) for cell in row[1:]] == [name == box["label"] for name in classes]
    try:
        import yaml
    except ImportError:
        print("data.yaml: not read, there is no PyYAML")
    else:
        data = yaml.safe_load((root / "yolov8-obb/data.yaml").read_text("utf-8"))
        assert data["names"] == classes and data["train"] == "../train/images", data
    print("boxes in COCO, VOC and CSV:", count)


check_masks()
check_turned_boxes()
check_records()
check_texts()
