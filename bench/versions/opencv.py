"""The job of `npm run bench:versions`, as one would write it in Python with OpenCV.

Reads a request (request.ts) as JSON from stdin, prints its answer as one line of JSON. The clock runs
from the first decode to the last encode; imports and the reading of files are left out. Where the
request names a folder, each image is written into a file there.
"""

import io
import json
import math
import multiprocessing
import os
import random
import sys
import time

import cv2
import numpy
from PIL import Image

PARTNERS_MAX = 16


def main():
    request = json.load(sys.stdin)
    cv2.setNumThreads(1)
    codecs = {"4:2:0": (decode_bgr, encode_opencv), "4:4:4": (decode_rgb, encode_pillow)}
    codec = codecs[request["chroma"]]
    tasks = {"job": run_job, "derive": run_derive, "limit": run_limit}
    task = tasks[request["task"]]
    train, others = read_all(request["train"]), read_all(request["others"])
    processes = request["processes"]
    if processes == 1:
        result = measure(task, request, train, others, codec)
    else:
        result = measure_all(processes, task, request, train, others, codec)
    result["versions"] = f"OpenCV {cv2.__version__}, Pillow {Image.__version__}"
    print(json.dumps(result))


def run_job(request, train, others, codec):
    """The whole version: every source decoded once, originals for all, copies for train."""
    draw = random.Random(1)
    decode, encode = codec
    size = size_of(request)
    pool = [prepare(decode(data), size) for data in train[:PARTNERS_MAX]]
    for index, data in enumerate(train):
        original = pool[index] if index < len(pool) else prepare(decode(data), size)
        yield encode(original)
        for _ in range(copies_of(request)):
            yield encode(augment(original, pool, request["augmentation"], draw))
    for data in others:
        yield encode(prepare(decode(data), size))


def run_derive(request, train, others, codec):
    """Copies alone, from images that are decoded already."""
    draw = random.Random(1)
    decode, encode = codec
    size = size_of(request)
    pool = [prepare(decode(data), size) for data in train[:PARTNERS_MAX]]
    yield None
    for index in range(request["images"]):
        image = pool[index % len(pool)]
        yield encode(augment(image, pool, request["augmentation"], draw))


def run_limit(request, train, others, codec):
    """As many decodings and encodings as the job has, and nothing between them."""
    decode, encode = codec
    size = size_of(request)
    same = prepare(decode(train[0]), size)
    for data in train:
        decode(data)
        for _ in range(copies_of(request) + 1):
            yield encode(same)
    for data in others:
        decode(data)
        yield encode(same)


def size_of(request):
    resize = request["preprocessing"]["resize"]
    return resize["width"], resize["height"]


def copies_of(request):
    return request["augmentation"]["image"]["versions"] - 1


def decode_bgr(data):
    return cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)


def decode_rgb(data):
    return cv2.cvtColor(decode_bgr(data), cv2.COLOR_BGR2RGB)


def prepare(image, size):
    return cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)


def augment(image, pool, settings, draw):
    image = mosaic(image, draw.sample(pool, min(3, len(pool))), draw)
    image = warp(image, settings, draw)
    image = brighten(image, settings["brightness"]["percent"], draw)
    # cv2 takes no sigma of 0.
    image = cv2.GaussianBlur(image, (0, 0), max(0.01, draw.uniform(0, settings["blur"]["pixels"])))
    return cutout(image, settings["cutout"], draw)


def mosaic(image, partners, draw):
    """Four images around a random point: each a part of it in its own scale, or the whole of it."""
    height, width = image.shape[:2]
    x = round(width * draw.uniform(0.25, 0.75))
    y = round(height * draw.uniform(0.25, 0.75))
    canvas = numpy.empty_like(image)
    parts = [(0, 0, x, y), (x, 0, width, y), (0, y, x, height), (x, y, width, height)]
    for source, (left, top, right, bottom) in zip([image, *partners], parts):
        w, h = right - left, bottom - top
        if draw.random() < 0.5:
            from_x, from_y = draw.randint(0, width - w), draw.randint(0, height - h)
            canvas[top:bottom, left:right] = source[from_y : from_y + h, from_x : from_x + w]
        else:
            canvas[top:bottom, left:right] = cv2.resize(source, (w, h), interpolation=cv2.INTER_LINEAR)
    return canvas


def warp(image, settings, draw):
    """Flip, crop and rotation as one matrix, in one pass."""
    height, width = image.shape[:2]
    kept = math.sqrt(1 - draw.uniform(settings["crop"]["min"], settings["crop"]["max"]) / 100)
    w, h = width * kept, height * kept
    left, top = draw.uniform(0, width - w), draw.uniform(0, height - h)
    most = settings["rotate"]["degrees"]
    angle = math.radians(draw.uniform(-most, most))
    flip_x = -1 if draw.random() < 0.5 else 1
    flip_y = -1 if draw.random() < 0.5 else 1
    crop = numpy.array([[1 / kept, 0, -left / kept], [0, 1 / kept, -top / kept], [0, 0, 1]])
    flip = numpy.array(
        [
            [flip_x, 0, width if flip_x < 0 else 0],
            [0, flip_y, height if flip_y < 0 else 0],
            [0, 0, 1],
        ]
    )
    cos, sin = math.cos(angle), math.sin(angle)
    mid_x, mid_y = width / 2, height / 2
    turn = numpy.array(
        [
            [cos, -sin, mid_x - cos * mid_x + sin * mid_y],
            [sin, cos, mid_y - sin * mid_x - cos * mid_y],
            [0, 0, 1],
        ]
    )
    # From edges between pixels to the centres that cv2 counts.
    to_edges = numpy.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    to_centres = numpy.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    matrix = (to_centres @ turn @ crop @ flip @ to_edges)[:2]
    return cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_LINEAR)


def brighten(image, percent, draw):
    amount = round(draw.uniform(-percent, percent) / 100 * 255)
    return cv2.add(image, (amount, amount, amount, 0))


def cutout(image, settings, draw):
    height, width = image.shape[:2]
    w, h = width * settings["percent"] / 100, height * settings["percent"] / 100
    for _ in range(settings["count"]):
        x, y = draw.uniform(0, width), draw.uniform(0, height)
        left, right = max(0, round(x - w / 2)), min(width, round(x + w / 2))
        top, bottom = max(0, round(y - h / 2)), min(height, round(y + h / 2))
        image[top:bottom, left:right] = 0
    return image


def encode_opencv(image):
    """JPEG with halved chroma, which is all that Debian's OpenCV can write."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1]


def encode_pillow(image):
    """JPEG with whole chroma, by the same libjpeg-turbo."""
    target = io.BytesIO()
    Image.fromarray(image).save(target, "JPEG", quality=95, subsampling=0)
    return target.getbuffer()


def measure(task, request, train, others, codec):
    images, size = 0, 0
    wall, cpu = time.perf_counter(), time.process_time()
    for data in task(request, train, others, codec):
        if data is None:
            # What came before was preparation.
            wall, cpu = time.perf_counter(), time.process_time()
            continue
        images += 1
        size += len(data)
        if "files" in request:
            with open(os.path.join(request["files"], f"{os.getpid()}-{images}.jpg"), "wb") as file:
                file.write(data)
    return {
        "images": images,
        "cpuMs": (time.process_time() - cpu) * 1000,
        "wallMs": (time.perf_counter() - wall) * 1000,
        "bytes": size,
    }


def measure_all(processes, task, request, train, others, codec):
    """The images dealt out to as many processes."""
    wall = time.perf_counter()
    shares = [
        (task, request, train[index::processes], others[index::processes], codec)
        for index in range(processes)
    ]
    with multiprocessing.get_context("fork").Pool(processes) as workers:
        results = workers.starmap(measure, shares)
    return {
        "images": sum(result["images"] for result in results),
        "cpuMs": sum(result["cpuMs"] for result in results),
        "wallMs": (time.perf_counter() - wall) * 1000,
        "bytes": sum(result["bytes"] for result in results),
    }


def read_all(paths):
    data = []
    for path in paths:
        with open(path, "rb") as file:
            data.append(file.read())
    return data


if __name__ == "__main__":
    main()
