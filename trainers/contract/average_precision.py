"""How good detections are, by the COCO protocol: average precision, and the best threshold."""

import numpy

# As Fovea runs a model where nothing else is asked for.
OVERLAP = 0.5
LEAST_SCORE = 0.01
BOXES_MAX = 100
IOUS = numpy.arange(0.5, 0.96, 0.05)
RECALLS = numpy.linspace(0, 1, 101)
TESTED = ("map50", "map50_95", "precision", "recall")


class Matches:
    """Of one class: for each detection its score, and whether it is right at each overlap."""

    def __init__(self):
        self.truths = 0
        self.scores = []
        self.right = []


def add_image(found, detections, boxes, labels):
    """
    `found`: the matches of each class. `detections`: corners [n, 4], scores and classes, the best
    first. `boxes` and `labels`: what is there.
    """
    found_boxes, scores, found_labels = detections
    for index, matches in enumerate(found):
        truths = boxes[labels == index]
        mine = found_labels == index
        matches.truths += len(truths)
        matches.scores.extend(scores[mine].tolist())
        matches.right.extend(match(overlaps_of(found_boxes[mine], truths)))


def overlaps_of(boxes, others):
    """Intersection over union, [boxes, others]."""
    least = numpy.maximum(boxes[:, None, :2], others[None, :, :2])
    most = numpy.minimum(boxes[:, None, 2:], others[None, :, 2:])
    inside = (most - least).clip(0).prod(2)
    areas, other_areas = ((one[:, 2:] - one[:, :2]).prod(1) for one in (boxes, others))
    whole = areas[:, None] + other_areas[None] - inside
    return numpy.divide(inside, whole, out=numpy.zeros_like(inside), where=whole > 0)


def match(overlaps):
    """The best detection first takes the truth that it covers best, of those not yet taken."""
    right = numpy.zeros((overlaps.shape[0], len(IOUS)), bool)
    if overlaps.size == 0:
        return right
    # Most detections cover nothing: only the others can be right.
    near = numpy.flatnonzero(overlaps.max(1) >= IOUS[0])
    for level, least in enumerate(IOUS):
        free = numpy.ones(overlaps.shape[1], bool)
        for row in near:
            candidates = numpy.where(free, overlaps[row], -1)
            best = candidates.argmax()
            if candidates[best] >= least:
                right[row, level] = True
                free[best] = False
    return right


def figures(classes):
    classes = [one for one in classes if one.truths > 0]
    if not classes:
        return {"map50": 0.0, "map50_95": 0.0, "precision": 0.0, "recall": 0.0, "confidence": 0.0}
    precisions = numpy.array([average_precisions(one) for one in classes])
    return {
        "map50": float(precisions[:, 0].mean()),
        "map50_95": float(precisions.mean()),
        **best_threshold(classes),
    }


def quality(figures):
    """The first epochs of a training from nothing find little at an overlap of 0.5."""
    return figures["map50"] + 0.1 * figures["map50_95"]


def average_precisions(one):
    if not one.scores:
        return numpy.zeros(len(IOUS))
    order = numpy.argsort(-numpy.array(one.scores), kind="stable")
    right = numpy.array(one.right)[order].cumsum(0)
    recall = right / one.truths
    precision = right / numpy.arange(1, len(order) + 1)[:, None]
    precision = numpy.maximum.accumulate(precision[::-1])[::-1]
    return numpy.array(
        [
            numpy.append(precision[:, level], 0)[
                numpy.searchsorted(recall[:, level], RECALLS, side="left")
            ].mean()
            for level in range(len(IOUS))
        ]
    )


def best_threshold(classes):
    """Where precision and recall of all classes together are best, by F1 at an overlap of 0.5."""
    scores = numpy.concatenate([numpy.array(one.scores) for one in classes])
    right = numpy.array([row[0] for one in classes for row in one.right], bool)
    if not right.any():
        return {"precision": 0.0, "recall": 0.0, "confidence": 0.0}
    order = numpy.argsort(-scores, kind="stable")
    hits = right[order].cumsum()
    counts = numpy.arange(1, len(order) + 1)
    truths = sum(one.truths for one in classes)
    best = (2 * hits / (counts + truths)).argmax()
    return {
        "precision": float(hits[best] / counts[best]),
        "recall": float(hits[best] / truths),
        "confidence": float(scores[order][best]),
    }
