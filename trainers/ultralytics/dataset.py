"""The dataset of a job as Ultralytics reads it."""

import os
import shutil

from job import JobError
from multiclass import read_table

# Fovea's names of the splits, and those of Ultralytics.
SPLITS = {"train": "train", "valid": "val", "test": "test"}


def data_of(job, folder):
    """What `data` of a training is to be: boxes, outlines and keypoints are as YOLO has them."""
    if job.task == "classification":
        return class_folders(job, folder)
    return os.path.join(job.dataset, "data.yaml")


def count_images(job, split):
    if job.task == "classification":
        return len(read_table(job.dataset, split, job.classes))
    folder = os.path.join(job.dataset, split, "images")
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def class_folders(job, folder):
    """
    A folder for each class below each split, in the order of the classes: those are numbered by
    the order of their names, so the names are the numbers.
    """
    for split, name in SPLITS.items():
        images = read_table(job.dataset, split, job.classes)
        if not images:
            continue
        for index in range(len(job.classes)):
            os.makedirs(os.path.join(folder, name, folder_name(index)), exist_ok=True)
        for path, numbers in images:
            if len(numbers) > 1:
                raise JobError("An image has several classes; such a model learns one of each.")
            for number in numbers:
                put(path, os.path.join(folder, name, folder_name(number), os.path.basename(path)))
    return folder


def folder_name(index):
    return f"{index:05d}"


def put(path, target):
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)
