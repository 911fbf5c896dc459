"""The figures of Ultralytics, by the names that Fovea has for them."""

# Of boxes, masks and poses, as they stand in the names of its figures.
LETTERS = {"detection": "B", "segmentation": "M", "keypoints": "P"}
NAMES = {
    "map50": "metrics/mAP50({})",
    "map50_95": "metrics/mAP50-95({})",
    "precision": "metrics/precision({})",
    "recall": "metrics/recall({})",
}
OF_CLASSES = {"accuracy": "metrics/accuracy_top1", "accuracy_top5": "metrics/accuracy_top5"}


def figures_of(results, task):
    """`results`: what a validation gives, from name to figure."""
    names = OF_CLASSES
    if task in LETTERS:
        names = {own: theirs.format(LETTERS[task]) for own, theirs in NAMES.items()}
    return {own: float(results[theirs]) for own, theirs in names.items() if theirs in results}


def loss_of(items):
    """The sum of the parts of a loss: by name, or in a tensor, as older versions have it."""
    parts = items.values() if isinstance(items, dict) else [items]
    return sum(float(part.sum()) if hasattr(part, "sum") else float(part) for part in parts)
