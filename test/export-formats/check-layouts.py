"""Reads whole exports as notebooks and trainers do: by the folders, names and paths that they know.

Called with the folder of the unpacked exports and of expected.json; prints what it has read. The
readers are PyYAML, lxml with the schema in voc.xsd, Pillow, csv and json; the rules of COCO are
written down here from the format's description.
"""

import csv
import json
import pathlib
import sys

import yaml
from lxml import etree
from PIL import Image

root = pathlib.Path(sys.argv[1])
expected = json.loads((root / "expected.json").read_text("utf-8"))
splits = ("train", "valid", "test")
keys = {"train": "train", "valid": "val", "test": "test"}
classes = expected["classes"]
wanted = {(one["split"], one["fileName"]): one for one in expected["images"]}


def near(a, b, tolerance=1e-3):
    assert len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b)), (a, b)


def size_of(path):
    with Image.open(path) as image:
        image.load()
        return image.size


def images_in(folder):
    return sorted(path for path in folder.iterdir() if path.suffix in (".png", ".jpg"))


def boxes_of(split, name):
    return [
        [one["label"], one["x"], one["y"], one["width"], one["height"]]
        for one in wanted[split, name]["boxes"]
    ]


def same(found, split, name):
    right = boxes_of(split, name)
    assert [one[0] for one in found] == [one[0] for one in right], (found, right)
    for one, other in zip(found, right):
        near(one[1:], other[1:])


# What scripts make of a path in data.yaml: the vendor's Python client cuts the dots off and puts
# the download before it; Ultralytics tries the path, then the same without its dots.
def as_the_client(folder, given):
    return pathlib.Path(f"{folder}{given.lstrip('.')}")


def as_ultralytics(folder, given):
    path = (folder / given).resolve()
    return path if path.exists() or not given.startswith("../") else (folder / given[3:]).resolve()


def as_it_stands(folder, given):
    return (folder / given).resolve()


def check_yolo():
    readers = {
        "yolov5pytorch": (as_the_client, as_ultralytics),
        "yolov7pytorch": (as_the_client,),
        "mt-yolov6": (as_the_client, as_it_stands),
        "yolov8": (as_ultralytics,),
        "yolov9": (as_ultralytics,),
        "yolov11": (as_ultralytics,),
        "yolov12": (as_ultralytics,),
        "yolov8-obb": (as_ultralytics,),
    }
    for name, resolvers in readers.items():
        folder = root / name
        data = yaml.safe_load((folder / "data.yaml").read_text("utf-8"))
        assert data["nc"] == len(data["names"]) and data["names"] == classes, data
        for resolve in resolvers:
            for split in splits:
                images = images_in(resolve(folder, data[keys[split]]))
                assert len(images) == sum(of == split for of, _ in wanted), (name, split)
                for image in images:
                    check_rows(name, split, image, data["names"])
    print("data.yaml of", len(readers), "formats")


def check_rows(name, split, image, names):
    width, height = size_of(image)
    # The last folder called images is the one that trainers replace.
    labels = "/labels/".join(str(image).rsplit("/images/", 1))
    found = []
    for row in pathlib.Path(labels).with_suffix(".txt").read_text().splitlines():
        index, *shares = row.split()
        shares = [float(share) * (height if at % 2 else width) for at, share in enumerate(shares)]
        if name == "yolov8-obb":
            assert len(shares) == 8, row
            xs, ys = shares[0::2], shares[1::2]
            wide, high = max(xs) - min(xs), max(ys) - min(ys)
            shares = [(max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2, wide, high]
        assert len(shares) == 4, row
        found.append([names[int(index)], *shares])
    same(found, split, image.name)


def check_darknet():
    for split in splits:
        folder = root / "darknet" / split
        names = (folder / "_darknet.labels").read_text("utf-8").splitlines()
        assert names == classes
        for image in images_in(folder):
            width, height = size_of(image)
            found = []
            for row in image.with_suffix(".txt").read_text().splitlines():
                index, x, y, wide, high = row.split()
                pixels = [float(x) * width, float(y) * height]
                pixels += [float(wide) * width, float(high) * height]
                found.append([names[int(index)], *pixels])
            same(found, split, image.name)
    print("darknet")


def check_coco(name):
    seen = 0
    for split in splits:
        folder = root / name / split
        data = json.loads((folder / "_annotations.coco.json").read_text("utf-8"))
        check_ids(data)
        parents = [one for one in data["categories"] if one["supercategory"] == "none"]
        assert [one["id"] for one in parents] == [0], parents
        used = [one for one in data["categories"] if one["supercategory"] != "none"]
        assert [one["name"] for one in used] == classes
        assert {one["supercategory"] for one in used} == {parents[0]["name"]}
        # A model with an output for each category has one for each id.
        assert max(one["id"] for one in used) < len(data["categories"])
        by_id = {one["id"]: one for one in data["categories"]}
        assert len(data["images"]) == len(images_in(folder))
        for image in data["images"]:
            assert size_of(folder / image["file_name"]) == (image["width"], image["height"])
            own = [one for one in data["annotations"] if one["image_id"] == image["id"]]
            found = []
            for one in own:
                category = by_id[one["category_id"]]
                assert category in used
                check_annotation(name, one, category)
                x, y, wide, high = one["bbox"]
                found.append([category["name"], x + wide / 2, y + high / 2, wide, high])
            same(found, split, image["file_name"])
            seen += len(own)
    print(name, seen)


def check_ids(data):
    assert set(data) == {"info", "licenses", "categories", "images", "annotations"}
    for name in ("licenses", "categories", "images", "annotations"):
        ids = [one["id"] for one in data[name]]
        assert all(isinstance(one, int) for one in ids) and len(ids) == len(set(ids)), name
    licenses = {one["id"] for one in data["licenses"]}
    assert all(one["license"] in licenses for one in data["images"])
    images = {one["id"] for one in data["images"]}
    assert all(one["image_id"] in images for one in data["annotations"])
    # pycocotools reads 0 as "no match".
    assert all(one["id"] > 0 for one in data["annotations"])


def check_annotation(name, one, category):
    assert one["iscrowd"] == 0 and len(one["bbox"]) == 4 and min(one["bbox"][2:]) >= 0
    assert isinstance(one["area"], (int, float)) and one["area"] >= 0
    assert isinstance(one["segmentation"], list)
    for ring in one["segmentation"]:
        assert len(ring) >= 6 and len(ring) % 2 == 0
        x, y, wide, high = one["bbox"]
        near([min(ring[0::2]), min(ring[1::2])], [x, y])
        near([max(ring[0::2]), max(ring[1::2])], [x + wide, y + high])
    if name == "coco-segmentation":
        assert len(one["segmentation"]) == 1
    if name == "coco-keypoints":
        points = one["keypoints"]
        assert len(points) == 3 * len(category["keypoints"])
        assert all(seen in (0, 1, 2) for seen in points[2::3])
        assert one["num_keypoints"] == sum(seen > 0 for seen in points[2::3])


def check_voc():
    schema = etree.XMLSchema(etree.parse(str(pathlib.Path(__file__).with_name("voc.xsd"))))
    for split in splits:
        for image in images_in(root / "voc" / split):
            tree = etree.parse(str(image.with_suffix(".xml")))
            schema.assertValid(tree)
            assert tree.findtext("filename") == image.name
            size = tuple(int(tree.findtext(f"size/{side}")) for side in ("width", "height"))
            assert size == size_of(image)
            found = []
            for one in tree.findall("object"):
                sides = ("xmin", "ymin", "xmax", "ymax")
                left, top, right, low = [float(one.findtext(f"bndbox/{side}")) for side in sides]
                middle = [(left + right) / 2, (top + low) / 2]
                found.append([one.findtext("name"), *middle, right - left, low - top])
            same(found, split, image.name)
    print("voc, by its schema")


def check_createml():
    for split in splits:
        folder = root / "createml" / split
        entries = json.loads((folder / "_annotations.createml.json").read_text("utf-8"))
        assert [one["image"] for one in entries] == [path.name for path in images_in(folder)]
        for one in entries:
            found = []
            for box in one["annotations"]:
                place = box["coordinates"]
                sides = ("x", "y", "width", "height")
                found.append([box["label"], *[place[side] for side in sides]])
            same(found, split, one["image"])
    print("createml")


def check_whole_images():
    for split in splits:
        # As torchvision's ImageFolder: the folders of a split, sorted, are its classes.
        for name in ("folder", "clip"):
            folders = sorted(path for path in (root / name / split).iterdir() if path.is_dir())
            own = {one["label"] for of, one in expected["labelled"] if of == split}
            assert {path.name for path in folders} == own, (name, split, folders)
            for folder in folders:
                for image in images_in(folder):
                    size_of(image)
        captions = (root / "clip" / split / "_tokenization.txt").read_text("utf-8").splitlines()
        assert captions == [f"a photo of {label}" for label in sorted(own)], captions
        table = root / "multiclass" / split / "_classes.csv"
        with open(table, newline="", encoding="utf-8") as file:
            rows = [
                {name.strip(): cell.strip() for name, cell in row.items()}
                for row in csv.DictReader(file)
            ]
        assert [row["filename"] for row in rows] == [
            path.name for path in images_in(table.parent)
        ]
        for row in rows:
            own_label = next(
                one["label"]
                for of, one in expected["labelled"]
                if of == split and one["fileName"] == row["filename"]
            )
            assert [name for name in classes if row[name] == "1"] == [own_label]
        lines = (root / "jsonl" / split / "annotations.jsonl").read_text("utf-8").splitlines()
        for line in map(json.loads, lines):
            assert set(line) == {"image", "prefix", "suffix"}
            size_of(root / "jsonl" / split / line["image"])
            assert line["suffix"] in classes
    print("folder, clip, multiclass, jsonl")


def check_readme():
    exports = [path for path in root.iterdir() if path.is_dir()]
    for path in exports:
        assert (path / "README.dataset.txt").read_text("utf-8"), path
    print("exports:", len(exports))


check_yolo()
check_darknet()
check_coco("coco")
check_coco("coco-segmentation")
check_coco("coco-keypoints")
check_voc()
check_createml()
check_whole_images()
check_readme()
