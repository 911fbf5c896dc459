"""
A small trainer: it learns colours on a coarse grid, not shapes. train.py JOB_FILE;
docs/trainer.md has the contract.
"""

import hashlib
import json
import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "contract"))

# It learns on one core; before numpy, which reads this.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy

from average_precision import TESTED, Matches, add_image, figures, quality
from canvas import Canvas
from cells import detect, mirrored, targets_of
from coco import has_labels, need_labels, read_split
from features import SIDE, feature_maps
from graph import export
from job import Job, JobError, Reports, run_as_program, watch_for_stop, write_metrics, write_whole
from network import Adam, Network, patches_of
from progress import SECONDS_FOR_TEST_MAX, SPLITS, Progress, of_test

TYPES = {"fovea-example": "detection"}
DEFAULTS = {"learningRate": 0.004, "patience": 300}
# Beyond these an example takes too much time and memory: some 60 MB.
IMAGES_MAX = {"train": 2000, "valid": 500, "test": 500}
# Counts up when an older state cannot be gone on with.
STATE_FORM = 1


class Seen:
    """An image as it is learned: its features, and boxes in pixels of the canvas."""

    def __init__(self, example):
        pixels, self.boxes, self.labels = Canvas(SIDE).load(example)
        self.maps = feature_maps(pixels)


class Training:
    def __init__(self, job, stopped):
        self.job = job
        self.stopped = stopped
        self.reports = Reports(job.epochs)
        examples = {
            name: spread(name, read_split(job.dataset, name, job.classes)) for name in SPLITS
        }
        need_labels(examples["train"], "train", "learn from")
        # Figures of images that it has learned would stand under the names of those that count.
        need_labels(examples["valid"], "valid", "measure on")
        self.is_tested = any(has_labels(example) for example in examples["test"])
        self.images = {name: [Seen(one) for one in given] for name, given in examples.items()}
        self.scaling = self.make_comparable()
        self.network = Network(len(job.classes), job.seed)
        self.adam = Adam(self.network.values)
        self.progress = Progress(job, quality)

    def make_comparable(self):
        """Gives each channel a mean of 0 and a spread of 1, as the train split has it."""
        maps = numpy.stack([image.maps for image in self.images["train"]]).astype(numpy.float64)
        means = maps.mean((0, 2, 3), keepdims=True)[0].astype(numpy.float32)
        deviations = maps.std((0, 2, 3), keepdims=True)[0].clip(1e-3)
        factors = (1 / deviations).astype(numpy.float32)
        for images in self.images.values():
            for image in images:
                image.maps = (image.maps - means) * factors
        return means, factors

    def run(self):
        self.resume()
        progress = self.progress
        # Whoever stops it at once gets what one epoch has learned.
        while not progress.is_over() and not (progress.epoch > 0 and self.stopped.is_set()):
            begun = time.monotonic()
            loss = self.train_epoch()
            found = self.judge("valid")
            progress.add(found, self.values)
            self.save()
            seconds = time.monotonic() - begun
            left = seconds * (self.job.epochs - progress.epoch)
            times = {"seconds_per_epoch": seconds, "seconds_left": left}
            self.reports.say(progress.epoch, {"loss": loss, **found, **times})
        self.finish()

    def train_epoch(self):
        """The mean loss of its images, one step for each."""
        # Of the epoch alone, so that a training that goes on sees what it would have.
        chance = random.Random(f"{self.job.seed}-{self.progress.epoch}")
        images = list(self.images["train"])
        chance.shuffle(images)
        rate = self.progress.rate(0.5)
        total = 0.0
        for image in images:
            across, down = chance.random() < 0.5, chance.random() < 0.5
            targets = targets_of(mirrored(image.boxes, across, down), image.labels)
            loss, slopes = self.network.slopes(patches_of(image.maps, across, down), targets)
            self.adam.step(slopes, rate)
            total += loss
        return total / len(images)

    def judge(self, split, until=lambda: False):
        """The figures of all images, or nothing where `until` says to end before."""
        found = [Matches() for _ in self.job.classes]
        for image in self.images[split]:
            if until():
                return None
            outputs, _ = self.network.outputs(patches_of(image.maps))
            add_image(found, detect(outputs), image.boxes, image.labels)
        return figures(found)

    def values(self):
        return {name: value.copy() for name, value in self.network.values.items()}

    def finish(self):
        """The model first: whoever is out of patience finds it."""
        progress = self.progress
        self.network.values.update(progress.best_values)
        begun = time.monotonic()
        export(self.network, self.scaling, self.job, progress.best)
        metrics = {
            **progress.best,
            "epochs": progress.epoch,
            "best_epoch": progress.best_epoch,
            **{f"images_{name}": len(images) for name, images in self.images.items()},
        }
        write_metrics(self.job, metrics)
        if not self.is_tested:
            return
        limit = SECONDS_FOR_TEST_MAX
        tested = self.judge(
            "test", lambda: self.stopped.is_set() and time.monotonic() - begun > limit
        )
        if tested is not None:
            write_metrics(self.job, {**metrics, **of_test(tested, TESTED)})

    def save(self):
        """After each epoch: an attempt that is killed goes on from here."""
        if self.job.state is None:
            return
        progress = self.progress.state()
        groups = {
            "values": self.network.values,
            "means": self.adam.means,
            "squares": self.adam.squares,
            "best": progress.pop("best_values"),
        }
        arrays = {
            f"{key}.{name}": values
            for key, group in groups.items()
            for name, values in group.items()
        }
        facts = json.dumps({**progress, "steps": self.adam.steps, "key": self.key()})

        def write(path):
            with open(path, "wb") as file:
                numpy.savez(file, facts=numpy.array(facts), **arrays)

        write_whole(self.state_file(), write)

    def resume(self):
        if self.job.state is None or not os.path.exists(self.state_file()):
            return
        with numpy.load(self.state_file(), allow_pickle=False) as state:
            facts = json.loads(str(state["facts"]))
            if facts["key"] != self.key():
                return
            of = lambda group: {name: state[f"{group}.{name}"] for name in self.network.values}
            self.network.values.update(of("values"))
            self.adam.means, self.adam.squares = of("means"), of("squares")
            self.adam.steps = facts["steps"]
            self.progress.resume({**facts, "best_values": of("best")})
        print(f"Goes on after epoch {self.progress.epoch}.", file=sys.stderr)

    def state_file(self):
        return os.path.join(self.job.state, "state.npz")

    def key(self):
        """What must be the same for a training to go on."""
        job = self.job
        facts = [STATE_FORM, job.classes, job.epochs, job.learning_rate, job.patience]
        facts += [len(images) for images in self.images.values()]
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def spread(split, examples):
    """Not too many, spread evenly over all in their order."""
    count = min(len(examples), IMAGES_MAX[split])
    return [examples[index * len(examples) // count] for index in range(count)]


def main(path):
    job = Job(path, DEFAULTS)
    if TYPES.get(job.model_type) != job.task:
        raise JobError(f"It trains {', '.join(TYPES)}, for detection.")
    job.image_size = SIDE
    Training(job, watch_for_stop()).run()


if __name__ == "__main__":
    run_as_program(main)
