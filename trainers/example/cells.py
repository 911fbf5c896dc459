"""Boxes as the cells of the grid say them, and which cell is to say which box."""

import numpy

from average_precision import BOXES_MAX, LEAST_SCORE, OVERLAP, overlaps_of
from features import CELLS, GRID, SIDE, STRIDE

# Four numbers for the box, then one for each class.
BOX_NUMBERS = 4
# A box of this size is said by zeros; in pixels of the canvas.
USUAL_SIZE = 48
# Sizes are said by powers of e; more than this either way is never meant.
POWER_MAX = 3
# The middle of a box is so large a part of it, each way from the centre.
MIDDLE_SHARE = 0.18

# The middle of each cell, in pixels.
MIDDLES = (numpy.arange(GRID) + 0.5) * STRIDE


def targets_of(boxes, labels):
    """
    The cells that say a box, the numbers [cells, 4] that they are to say, and their classes. Each
    has the smallest of the boxes in whose middle it lies. A box has the cell of its centre at
    least, unless a smaller one has it.
    """
    owners = numpy.full((GRID, GRID), -1)
    centres, sizes = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    for index in numpy.argsort(-sizes.prod(1), kind="stable"):
        columns, rows = (
            near(centre, max(STRIDE / 2, size * MIDDLE_SHARE))
            for centre, size in zip(centres[index], sizes[index])
        )
        owners[numpy.ix_(rows, columns)] = index
    cells = numpy.flatnonzero(owners.ravel() >= 0)
    own = owners.ravel()[cells]
    places = numpy.stack([MIDDLES[cells % GRID], MIDDLES[cells // GRID]], 1)
    powers = numpy.log(sizes[own].clip(1) / USUAL_SIZE).clip(-POWER_MAX, POWER_MAX)
    numbers = numpy.concatenate([(centres[own] - places) / STRIDE, powers], 1)
    return cells, numbers.astype(numpy.float32), labels[own]


def near(centre, distance):
    """Rows or columns whose middle is so close."""
    found = numpy.flatnonzero(numpy.abs(MIDDLES - centre) < distance)
    return found if len(found) > 0 else [int(min(GRID - 1, max(0, centre // STRIDE)))]


def mirrored(boxes, across, down):
    """Boxes in a picture that is mirrored."""
    left, top, right, bottom = boxes.T
    if across:
        left, right = SIDE - right, SIDE - left
    if down:
        top, bottom = SIDE - bottom, SIDE - top
    return numpy.stack([left, top, right, bottom], 1)


def detect(outputs):
    """From what the cells say to boxes, scores and classes, the best first."""
    logits = outputs[:, BOX_NUMBERS:]
    labels = logits.argmax(1)
    scores = sigmoid(logits[numpy.arange(CELLS), labels])
    kept = numpy.flatnonzero(scores >= LEAST_SCORE)
    kept = kept[numpy.argsort(-scores[kept], kind="stable")]
    places = numpy.stack([MIDDLES[kept % GRID], MIDDLES[kept // GRID]], 1)
    centres = places + outputs[kept, :2] * STRIDE
    halves = numpy.exp(outputs[kept, 2:4].clip(-POWER_MAX, POWER_MAX)) * (USUAL_SIZE / 2)
    boxes = numpy.concatenate([centres - halves, centres + halves], 1)
    best = suppressed(boxes, labels[kept])
    return boxes[best], scores[kept][best], labels[kept][best]


def suppressed(boxes, labels):
    """Which to keep: of boxes of one class that overlap, the first."""
    covers = (overlaps_of(boxes, boxes) > OVERLAP) & (labels[:, None] == labels[None])
    kept, dropped = [], numpy.zeros(len(boxes), bool)
    for index in range(len(boxes)):
        if dropped[index]:
            continue
        kept.append(index)
        if len(kept) == BOXES_MAX:
            break
        dropped |= covers[index]
    return numpy.array(kept, int)


def sigmoid(values):
    return 1 / (1 + numpy.exp(-values.clip(-60, 60)))
