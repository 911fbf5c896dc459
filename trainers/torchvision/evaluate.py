"""How good a detector is, by the COCO protocol: average precision, and the best threshold."""

import numpy
import torch
from torchvision.ops import batched_nms, box_iou

# As Fovea runs a model where nothing else is asked for.
OVERLAP = 0.5
LEAST_SCORE = 0.01
BOXES_MAX = 100
IOUS = numpy.arange(0.5, 0.96, 0.05)
RECALLS = numpy.linspace(0, 1, 101)


def detect(output):
    """Boxes, scores and classes of one image, the best first: a box has its best class alone."""
    centres, scores = output[:4].T, output[4:].T
    best, labels = scores.max(1)
    kept = best >= LEAST_SCORE
    best, labels, centres = best[kept], labels[kept], centres[kept]
    half = centres[:, 2:] / 2
    boxes = torch.cat([centres[:, :2] - half, centres[:, :2] + half], 1)
    order = batched_nms(boxes, best, labels, OVERLAP)[:BOXES_MAX]
    return boxes[order], best[order], labels[order]


@torch.no_grad()
def evaluate(detector, loader, classes, device, until=lambda: False):
    """The figures of all images, or undefined where `until` says to end before."""
    detector.eval()
    found = [Matches() for _ in range(classes)]
    for pixels, boxes, labels in loader:
        if until():
            return None
        for output, box, label in zip(detector(pixels.to(device)).cpu(), boxes, labels):
            add_image(found, detect(output), box, label)
    return figures([one for one in found if one.truths > 0])


class Matches:
    """Of one class: for each detection its score, and whether it is right at each overlap."""

    def __init__(self):
        self.truths = 0
        self.scores = []
        self.right = []


def add_image(found, detections, boxes, labels):
    found_boxes, scores, found_labels = detections
    for index, matches in enumerate(found):
        truths = boxes[labels == index]
        mine = found_labels == index
        matches.truths += len(truths)
        overlaps = box_iou(found_boxes[mine], truths).numpy()
        matches.scores.extend(scores[mine].tolist())
        matches.right.extend(match(overlaps))


def match(overlaps):
    """The best detection first takes the truth that it covers best, of those not yet taken."""
    right = numpy.zeros((overlaps.shape[0], len(IOUS)), bool)
    for level, least in enumerate(IOUS):
        free = numpy.ones(overlaps.shape[1], bool)
        for row, overlap in enumerate(overlaps):
            candidates = numpy.where(free, overlap, -1)
            best = candidates.argmax() if candidates.size else -1
            if best >= 0 and candidates[best] >= least:
                right[row, level] = True
                free[best] = False
    return right


def figures(classes):
    if not classes:
        return {"map50": 0.0, "map50_95": 0.0, "precision": 0.0, "recall": 0.0, "confidence": 0.0}
    precisions = numpy.array([average_precisions(one) for one in classes])
    return {
        "map50": float(precisions[:, 0].mean()),
        "map50_95": float(precisions.mean()),
        **best_threshold(classes),
    }


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
    right = numpy.concatenate([numpy.array([row[0] for row in one.right]) for one in classes])
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
