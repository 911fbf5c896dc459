"""Does what `npm run test:reference` asks for with OpenCV, Pillow and numpy, and nothing of Fovea's.

Takes a folder with cases.json; leaves ID.rgb for each case, and answers.json with their sizes. Pictures
are raw: red, green and blue, a byte each, row by row from the top.
"""

import io
import json
import math
import pathlib
import sys

import cv2
import numpy
from PIL import Image, ImageEnhance, ImageOps


def main(folder):
    cases = json.loads((folder / "cases.json").read_text())
    versions = f"OpenCV {cv2.__version__}, Pillow {Image.__version__}, numpy {numpy.__version__}"
    sizes = {case["id"]: answer(folder, case) for case in cases}
    (folder / "answers.json").write_text(json.dumps({"libraries": versions, "sizes": sizes}))


def answer(folder, case):
    data = (folder / case["input"]).read_bytes()
    pixels = numpy.frombuffer(data, numpy.uint8).reshape(case["height"], case["width"], 3)
    result = steps[case["step"]](pixels, **case["parameters"])
    if isinstance(result, bytes):
        (folder / f"{case['id']}.file").write_bytes(result)
        result = decoded(result)
    result = numpy.ascontiguousarray(numpy.asarray(result))
    (folder / f"{case['id']}.rgb").write_bytes(result.tobytes())
    return {"width": result.shape[1], "height": result.shape[0]}


# Where pixels go.


def transpose(pixels, method):
    return Image.fromarray(pixels).transpose(getattr(Image.Transpose, method))


def exif(pixels, orientation):
    """A file with that orientation; decoded() shows it upright."""
    tags = Image.Exif()
    tags[0x0112] = orientation
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=95, subsampling=0, exif=tags)
    return target.getvalue()


def decoded(data):
    return ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")


def crop(pixels, box):
    return Image.fromarray(pixels).crop(box)


def in_floats(pixels, change):
    """Each channel with fractions, rounded at the end: in bytes Pillow drops what is behind the point."""
    channels = [Image.fromarray(pixels[:, :, at].astype(numpy.float32)) for at in range(3)]
    results = [numpy.asarray(change(channel)) for channel in channels]
    return numpy.rint(numpy.stack(results, axis=2)).astype(numpy.uint8)


def transform(pixels, method, data):
    def change(channel):
        return channel.transform(channel.size, method, data, Image.Resampling.BILINEAR)

    return in_floats(pixels, change)


def zoom(pixels, box):
    return transform(pixels, Image.Transform.EXTENT, box)


def rotate(pixels, degrees):
    """Pillow turns the other way round."""
    return in_floats(pixels, lambda channel: channel.rotate(-degrees, Image.Resampling.BILINEAR))


def shear(pixels, horizontal, vertical):
    """x' = x + y tan(horizontal), then y' = y + x' tan(vertical), both from the centre."""
    height, width = pixels.shape[:2]
    middle = numpy.array([width / 2, height / 2])
    forward = numpy.array([[1, 0], [math.tan(math.radians(vertical)), 1]]) @ numpy.array(
        [[1, math.tan(math.radians(horizontal))], [0, 1]]
    )
    inverse = numpy.linalg.inv(forward)
    offset = middle - inverse @ middle
    data = (*inverse[0], offset[0], *inverse[1], offset[1])
    return transform(pixels, Image.Transform.AFFINE, data)


def stretch(pixels, width, height):
    return Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR)


def scaled(pixels, width, height, choose):
    """By one factor: the smaller one fits, the larger one fills."""
    factor = choose(width / pixels.shape[1], height / pixels.shape[0])
    side = [max(1, math.floor(count * factor + 0.5)) for count in (pixels.shape[1], pixels.shape[0])]
    return numpy.asarray(stretch(pixels, *side))


def fit(pixels, width, height):
    return scaled(pixels, width, height, min)


def fit_in(pixels, width, height, edges):
    inner = scaled(pixels, width, height, min)
    across, down = width - inner.shape[1], height - inner.shape[0]
    left, top = across // 2, down // 2
    sides = (top, down - top, left, across - left)
    if edges == "reflect":
        return cv2.copyMakeBorder(inner, *sides, cv2.BORDER_REFLECT)
    return cv2.copyMakeBorder(inner, *sides, cv2.BORDER_CONSTANT, value=(edges, edges, edges))


def fill(pixels, width, height):
    inner = scaled(pixels, width, height, max)
    left = math.ceil((inner.shape[1] - width) / 2)
    top = math.ceil((inner.shape[0] - height) / 2)
    return inner[top : top + height, left : left + width]


# What becomes of colours.


def grayscale(pixels):
    gray = Image.fromarray(pixels).convert("L", (0.2125, 0.7154, 0.0721, 0))
    return gray.convert("RGB")


def saturation(pixels, percent):
    return ImageEnhance.Color(Image.fromarray(pixels)).enhance(1 + percent / 100)


def hue(pixels, degrees):
    hsv = cv2.cvtColor(pixels.astype(numpy.float32) / 255, cv2.COLOR_RGB2HSV)
    hsv[:, :, 0] = (hsv[:, :, 0] + degrees) % 360
    rgb = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)
    return numpy.rint(rgb * 255).clip(0, 255).astype(numpy.uint8)


def brightness(pixels, percent):
    amount = round(percent / 100 * 255)
    return cv2.add(pixels, (amount, amount, amount, 0))


def exposure(pixels, percent):
    gamma = (2 ** ((50 - percent / 2) / 10) - 1) / 31
    table = numpy.rint(255 * (numpy.arange(256) / 255) ** gamma).astype(numpy.uint8)
    return cv2.LUT(pixels, table)


def blur(pixels, sigma):
    return cv2.GaussianBlur(pixels, (0, 0), sigma)


def cutout(pixels, box):
    left, top, right, bottom = box
    result = pixels.copy()
    result[top:bottom, left:right] = 0
    return result


# Contrast.


def stretching(pixels):
    low, high = numpy.percentile(pixels, (2, 98))
    if low == high:
        return pixels
    return numpy.rint(numpy.clip((pixels - low) / (high - low), 0, 1) * 255).astype(numpy.uint8)


def equalization(pixels):
    return on_luma(pixels, cv2.equalizeHist)


def adaptive(pixels):
    """A clip limit of 0.03 of all values, as scikit-image counts it."""
    return on_luma(pixels, cv2.createCLAHE(0.03 * 256, (8, 8)).apply)


def on_luma(pixels, change):
    planes = list(cv2.split(cv2.cvtColor(pixels, cv2.COLOR_RGB2YCrCb)))
    planes[0] = change(planes[0])
    return cv2.cvtColor(cv2.merge(planes), cv2.COLOR_YCrCb2RGB)


# Files.


def jpeg(pixels, quality):
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=quality, subsampling=0)
    return target.getvalue()


steps = {
    "transpose": transpose,
    "exif": exif,
    "crop": crop,
    "zoom": zoom,
    "rotate": rotate,
    "shear": shear,
    "stretch": stretch,
    "fit": fit,
    "fit_in": fit_in,
    "fill": fill,
    "grayscale": grayscale,
    "saturation": saturation,
    "hue": hue,
    "brightness": brightness,
    "exposure": exposure,
    "blur": blur,
    "cutout": cutout,
    "stretching": stretching,
    "equalization": equalization,
    "adaptive": adaptive,
    "jpeg": jpeg,
}

if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
