"""Classes of whole images: their dataset, the model, and how good it is."""

import torch
from torch import nn
from torchvision.models import resnet18, resnet50

import coco
import dataset
from job import JobError
from models import load_published
from multiclass import read_table

MODELS = {
    "torchvision-resnet18": ("resnet18", resnet18),
    "torchvision-resnet50": ("resnet50", resnet50),
}
TYPES = tuple(MODELS)
TESTED = ("accuracy", "precision", "recall", "f1")
METADATA = {"task": "classify"}


class Example(coco.Example):
    """One image file, and 1 for each class that it has, else 0."""

    def __init__(self, path, target):
        super().__init__(path, [], [])
        self.target = target


def read_split(folder, split, classes):
    """The images of a split; none where the split is not there."""
    examples = []
    for path, numbers in read_table(folder, split, classes):
        target = torch.zeros(len(classes))
        target[numbers] = 1
        examples.append(Example(path, target))
    return examples


def has_labels(example):
    return bool(example.target.any())


def need_labels(examples, split, purpose):
    if not any(has_labels(example) for example in examples):
        raise JobError(f"The {split} split has no image with a class to {purpose}.")


class Images(dataset.Images):
    """Pixels, and the target of the image."""

    def __getitem__(self, index):
        pixels, _, _ = super().__getitem__(index)
        return pixels, self.examples[index].target


def collate(batch):
    pixels, targets = zip(*batch)
    return torch.stack(pixels), torch.stack(targets)


class Classifier(nn.Module):
    """
    What Fovea runs: [1, 3, size, size], red, green and blue from 0 to 1, to [1, classes], each from
    0 to 1. Mean and deviation are inside.
    """

    def __init__(self, model_type, classes, has_several):
        super().__init__()
        _, build = MODELS[model_type]
        self.model = build(weights=None)
        self.model.fc = nn.Linear(self.model.fc.in_features, classes)
        self.has_several = has_several
        mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])
        self.register_buffer("mean", mean.view(1, 3, 1, 1), False)
        self.register_buffer("deviation", deviation.view(1, 3, 1, 1), False)

    def logits(self, pixels):
        return self.model((pixels - self.mean) / self.deviation)

    def forward(self, pixels):
        logits = self.logits(pixels)
        return logits.sigmoid() if self.has_several else logits.softmax(1)

    def losses(self, pixels, targets):
        loss = nn.functional.binary_cross_entropy_with_logits
        if not self.has_several:
            loss = nn.functional.cross_entropy
        return {"classes": loss(self.logits(pixels), targets)}


def build(job, splits):
    examples = [example for split in splits.values() for example in split]
    has_several = any(example.target.sum() > 1 for example in examples)
    return Classifier(job.model_type, len(job.classes), has_several)


def start_weights(classifier, job):
    published, _ = MODELS[job.model_type]
    return load_published(classifier, job, published, classifier.model)


@torch.no_grad()
def evaluate(classifier, loader, classes, device, until=lambda: False):
    """The figures of all images, or undefined where `until` says to end before."""
    classifier.eval()
    scores, truths = [], []
    for pixels, targets in loader:
        if until():
            return None
        scores.append(classifier(pixels.to(device)).cpu())
        truths.append(targets > 0.5)
    scores, truths = torch.cat(scores), torch.cat(truths)
    labelled = truths.any(1)
    scores, truths = scores[labelled], truths[labelled]
    if not classifier.has_several:
        answers = nn.functional.one_hot(scores.argmax(1), classes).bool()
        return {**figures(answers, truths), "confidence": 0.0}
    thresholds = [share / 20 for share in range(1, 20)]
    best = max(thresholds, key=lambda least: figures(scores >= least, truths)["f1"])
    return {**figures(scores >= best, truths), "confidence": best}


def figures(answers, truths):
    """Precision, recall and F1 are means over the classes that are labelled or answered."""
    right = (answers & truths).sum(0)
    answered, labelled = answers.sum(0), truths.sum(0)
    known = (answered + labelled) > 0
    mean = lambda parts, wholes: float((parts / wholes.clamp(min=1))[known].mean())
    return {
        "accuracy": float((answers == truths).all(1).float().mean()),
        "precision": mean(right, answered),
        "recall": mean(right, labelled),
        "f1": mean(2 * right, answered + labelled),
    }


def quality(figures):
    """Of two that are right as often, the one whose classes are found more evenly."""
    return figures["accuracy"] + 0.1 * figures["f1"]
