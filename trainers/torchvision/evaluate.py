"""How good a detector is: what it finds in the images of a split."""

import torch
from torchvision.ops import batched_nms

from average_precision import BOXES_MAX, LEAST_SCORE, OVERLAP, Matches, add_image, figures


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
            detections = [one.numpy() for one in detect(output)]
            add_image(found, detections, box.numpy(), label.numpy())
    return figures(found)
