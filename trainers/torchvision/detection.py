"""Boxes: what a training needs of their dataset, their models and their figures."""

from average_precision import TESTED, quality
from coco import has_labels, need_labels, read_split
from dataset import Images, collate
from evaluate import evaluate
from models import RECIPES, Detector, start_weights

TYPES = tuple(RECIPES)
METADATA = {"task": "detect", "overlap": "0.5"}

__all__ = [
    "TESTED",
    "Images",
    "collate",
    "evaluate",
    "has_labels",
    "need_labels",
    "quality",
    "read_split",
    "start_weights",
]


def build(job, _splits):
    return Detector(job.model_type, len(job.classes), job.image_size)
