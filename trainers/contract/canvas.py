"""Images on the canvas of a model, as Fovea puts them there later."""

import numpy
from PIL import Image

GREY = 114


class Canvas:
    """Images in the middle of a grey square, as large as they fit, as Fovea puts them."""

    def __init__(self, size):
        self.size = size

    def place(self, width, height):
        scale = min(self.size / width, self.size / height)
        scaled = [min(self.size, max(1, round_half_up(side * scale))) for side in (width, height)]
        left, top = (round_half_up((self.size - side) / 2 - 0.1) for side in scaled)
        return scaled, left, top

    def load(self, example):
        """Pixels of one byte, [size, size, 3]; boxes [n, 4] in pixels of the canvas; labels."""
        with Image.open(example.path) as file:
            image = file.convert("RGB")
        (width, height), left, top = self.place(*image.size)
        across, down = width / image.size[0], height / image.size[1]
        if image.size != (width, height):
            image = image.resize((width, height), Image.BILINEAR)
        canvas = numpy.full((self.size, self.size, 3), GREY, numpy.uint8)
        canvas[top : top + height, left : left + width] = numpy.asarray(image)
        boxes = numpy.array(example.boxes, numpy.float32).reshape(-1, 4)
        boxes = boxes * numpy.array([across, down, across, down], numpy.float32)
        boxes = boxes + numpy.array([left, top, left, top], numpy.float32)
        return canvas, boxes, numpy.array(example.labels, numpy.int64)


def round_half_up(value):
    return int(value + 0.5)
