"""The images of a split for torch, changed at random while it learns."""

import random

import torch

from canvas import GREY


class Images(torch.utils.data.Dataset):
    """`changes`: mirrored, scaled, moved and coloured at random, another way in each epoch."""

    def __init__(self, examples, canvas, changes=None):
        self.examples = examples
        self.canvas = canvas
        self.changes = changes
        self.epoch = 0

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        pixels, *others = self.canvas.load(self.examples[index])
        pixels = torch.from_numpy(pixels).permute(2, 0, 1).float() / 255
        boxes, labels = (torch.from_numpy(one) for one in others)
        if self.changes is not None:
            # Of the image and the epoch alone, so that a training that goes on sees what it would have.
            chance = random.Random(f"{self.changes}-{self.epoch}-{index}")
            pixels, boxes, labels = changed(pixels, boxes, labels, chance)
        return pixels, boxes, labels


def changed(pixels, boxes, labels, chance):
    size = pixels.shape[-1]
    if chance.random() < 0.5:
        pixels = pixels.flip(-1)
        boxes = torch.stack([size - boxes[:, 2], boxes[:, 1], size - boxes[:, 0], boxes[:, 3]], 1)
    if chance.random() < 0.5:
        pixels, boxes, labels = zoomed(pixels, boxes, labels, chance)
    brightness, contrast = (1 + 0.2 * (2 * chance.random() - 1) for _ in range(2))
    mean = pixels.mean()
    return (((pixels - mean) * contrast + mean) * brightness).clamp(0, 1), boxes, labels


def zoomed(pixels, boxes, labels, chance):
    """Up to 1.3 times larger or smaller, around a point of the image."""
    size = pixels.shape[-1]
    scale = 1.3 ** (2 * chance.random() - 1)
    # Where the upper left corner goes: inside when smaller, outside when larger.
    left, top = ((size - size * scale) * chance.random() for _ in range(2))
    grid = torch.arange(size, dtype=torch.float32) + 0.5
    x, y = (((grid - corner) / scale) * 2 / size - 1 for corner in (left, top))
    places = torch.stack([x.expand(size, size), y.unsqueeze(1).expand(size, size)], -1)
    sampled = torch.nn.functional.grid_sample(
        pixels.unsqueeze(0) - GREY / 255, places.unsqueeze(0), align_corners=False
    )
    pixels = sampled.squeeze(0) + GREY / 255
    moved = boxes * scale + torch.tensor([left, top, left, top])
    inside = moved.clamp(0, size)
    # An object that is cut to less than a third is none.
    kept = area(inside) > area(moved) / 3
    return pixels, inside[kept], labels[kept]


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def collate(batch):
    pixels, boxes, labels = zip(*batch)
    return torch.stack(pixels), boxes, labels
