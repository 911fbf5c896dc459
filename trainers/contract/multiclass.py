"""Reads the datasets of classification jobs: a table for each split, the images beside it."""

import csv
import os

from content_order import by_content


def read_table(folder, split, classes):
    """Of each image its path and the numbers of its classes, by their contents; none where there
    is no such split."""
    path = os.path.join(folder, split, "_classes.csv")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    # Each value but the first begins with a blank: src/export-formats/csv.ts.
    numbers = [classes.index(name[1:]) for name in head[1:]]
    images = [
        (
            os.path.join(folder, split, name),
            [number for number, shown in zip(numbers, shows) if shown.strip() == "1"],
        )
        for name, *shows in rows
    ]
    return by_content(images, lambda one: one[0], lambda one: one[1])
