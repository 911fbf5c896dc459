"""Weights that the makers of a model publish: fetched where a recipe says so, and kept."""

import os
import sys

from job import JobError


def weights_of(job):
    """What the recipe says: "local", "random" or "download", which alone fetches anything."""
    chosen = job.recipe.get("weights", "local")
    if chosen not in ("local", "random", "download"):
        raise JobError('"weights" must be "local", "random" or "download".')
    return chosen


def weights_folder():
    """In the environment of the trainer: they go with it. Made where something is fetched."""
    return os.path.join(sys.prefix, "weights")


def refuse_checkpoint(job):
    if job.checkpoint is not None:
        raise JobError(f"{job.model_type} cannot start from an ONNX file: leave out checkpoint.")


class Stopped(Exception):
    """Ends a training of a library from inside one of its callbacks."""


def missing_package(name, error):
    return JobError(f'{error}: run "fovea trainer install {name}".')
