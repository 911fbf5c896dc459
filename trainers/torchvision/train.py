"""Trains a model of torchvision for Fovea: train.py JOB_FILE. docs/trainer.md has the contract."""

import hashlib
import math
import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "contract"))

# Threads that wait leave the processor to others; before torch, which reads it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy
import torch

import classification
import detection
from canvas import Canvas
from export import export
from job import Job, JobError, Reports, run_as_program, watch_for_stop, write_metrics, write_whole
from progress import SECONDS_FOR_TEST_MAX, SPLITS, Progress, of_test

# By the task of a job.
SUBJECTS = {"detection": detection, "classification": classification}

# The first steps are slower than the rest: memory is taken, kernels are chosen.
STEPS_TO_WARM_UP = 2
STEPS_TO_TIME = 6
# Forward and backward take about three times as long as forward alone.
PASSES_OF_A_STEP = 3
# Counts up when an older state cannot be gone on with.
STATE_FORM = 2
DEFAULTS = {"batchSize": 8, "learningRate": 0.001, "patience": 10, "imageSize": 320}


class Training:
    def __init__(self, job, stopped):
        self.job = job
        self.subject = subject = SUBJECTS[job.task]
        self.stopped = stopped
        self.reports = Reports(job.epochs)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        canvas = Canvas(job.image_size)
        splits = {name: subject.read_split(job.dataset, name, job.classes) for name in SPLITS}
        subject.need_labels(splits["train"], "train", "learn from")
        # Figures of images that it has learned would stand under the names of those that count.
        subject.need_labels(splits["valid"], "valid", "measure on")
        self.images = {
            name: subject.Images(examples, canvas, job.seed if name == "train" else None)
            for name, examples in splits.items()
        }
        self.model = subject.build(job, splits)
        self.pretrained = subject.start_weights(self.model, job)
        self.model.to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=job.learning_rate, weight_decay=1e-4
        )
        self.progress = Progress(job, subject.quality)
        self.epoch_seconds = None

    def run(self):
        self.resume()
        while not self.progress.is_over():
            begun = time.monotonic()
            loss = self.train_epoch()
            if self.stopped.is_set():
                break
            figures = self.judge("valid", self.stopped.is_set)
            if figures is None:
                break
            self.progress.add(figures, self.values)
            self.save()
            self.epoch_seconds = time.monotonic() - begun
            rate = self.optimizer.param_groups[0]["lr"]
            self.reports.say(
                self.progress.epoch,
                {
                    "loss": loss,
                    **figures,
                    "learning_rate": rate,
                    "seconds_per_epoch": self.epoch_seconds,
                    "seconds_left": self.seconds_left(),
                },
            )
        self.finish()

    def train_epoch(self):
        """The mean loss of its steps."""
        self.model.train()
        self.images["train"].epoch = self.progress.epoch
        loader = self.loader("train", shuffled=True)
        losses = []
        times = []
        for step, (pixels, *labels) in enumerate(loader):
            if self.stopped.is_set():
                break
            begun = time.monotonic()
            rate = self.progress.rate(step / len(loader))
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            losses.append(self.step(pixels, labels))
            times.append(time.monotonic() - begun)
            if step + 1 == min(len(loader), STEPS_TO_WARM_UP + STEPS_TO_TIME):
                self.tell_estimate(times)
        return sum(losses) / max(1, len(losses))

    def step(self, pixels, labels):
        parts = self.model.losses(*(moved(one, self.device) for one in (pixels, *labels)))
        loss = sum(parts.values())
        if not math.isfinite(loss.item()):
            raise JobError("The loss is no number any more: try a lower learningRate.")
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 10)
        self.optimizer.step()
        return loss.item()

    def tell_estimate(self, times):
        """Once, while the first epoch runs: how long all of them will take."""
        if self.epoch_seconds is not None:
            return
        later = times[STEPS_TO_WARM_UP:] or times
        train, valid = (len(self.images[name]) for name in ("train", "valid"))
        images = train + valid / PASSES_OF_A_STEP
        self.epoch_seconds = sum(later) / len(later) * images / self.job.batch_size
        # Fovea takes a report of the epoch that is done; the first attempt has done none.
        self.reports.say(
            self.progress.epoch,
            {
                "seconds_per_epoch": self.epoch_seconds,
                "seconds_left": self.seconds_left(),
                "pretrained": float(self.pretrained > 0),
            },
        )

    def seconds_left(self):
        """Where it does not stop early."""
        return self.epoch_seconds * (self.job.epochs - self.progress.epoch)

    def judge(self, split, until=lambda: False):
        loader = self.loader(split, shuffled=False)
        classes = len(self.job.classes)
        return self.subject.evaluate(self.model, loader, classes, self.device, until)

    def loader(self, split, shuffled):
        generator = torch.Generator()
        generator.manual_seed(self.job.seed * 1000003 + self.progress.epoch)
        return torch.utils.data.DataLoader(
            self.images[split],
            batch_size=self.job.batch_size,
            shuffle=shuffled,
            generator=generator,
            collate_fn=self.subject.collate,
            # One image alone has no statistics for its norm.
            drop_last=shuffled and len(self.images[split]) > self.job.batch_size,
        )

    def values(self):
        values = self.model.state_dict()
        return {name: value.detach().cpu().clone() for name, value in values.items()}

    def finish(self):
        """The model first: whoever is out of patience finds it."""
        progress = self.progress
        if progress.best_values is not None:
            self.model.load_state_dict(progress.best_values)
        begun = time.monotonic()
        # One that is stopped before its first epoch is judged as it is.
        figures = progress.best or self.judge("valid")
        export(self.model, self.job, figures, self.subject.METADATA)
        metrics = {
            **figures,
            "epochs": progress.epoch,
            "best_epoch": progress.best_epoch,
            "pretrained": float(self.pretrained > 0),
            **{f"images_{name}": len(images) for name, images in self.images.items()},
        }
        write_metrics(self.job, metrics)
        if not any(self.subject.has_labels(one) for one in self.images["test"].examples):
            return
        limit = SECONDS_FOR_TEST_MAX
        self.model.to(self.device)
        is_late = lambda: self.stopped.is_set() and time.monotonic() - begun > limit
        tested = self.judge("test", is_late)
        if tested is not None:
            write_metrics(self.job, {**metrics, **of_test(tested, self.subject.TESTED)})

    def save(self):
        """After each epoch: an attempt that is killed goes on from here."""
        if self.job.state is None:
            return
        state = {
            **self.progress.state(),
            "key": self.key(),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "pretrained": self.pretrained,
        }
        write_whole(self.state_file(), lambda path: torch.save(state, path))

    def resume(self):
        if self.job.state is None or not os.path.exists(self.state_file()):
            return
        # Our own file, in a folder that nobody else may read.
        state = torch.load(self.state_file(), map_location=self.device, weights_only=False)
        if state["key"] != self.key():
            return
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress.resume(state)
        self.pretrained = state["pretrained"]
        print(f"Goes on after epoch {self.progress.epoch}.", file=sys.stderr)

    def state_file(self):
        return os.path.join(self.job.state, "state.pt")

    def key(self):
        """What must be the same for a training to go on."""
        job = self.job
        facts = [STATE_FORM, job.model_type, job.classes, job.epochs, job.batch_size, job.learning_rate]
        facts += [job.image_size, job.seed, job.patience]
        facts += [len(images) for images in self.images.values()]
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def moved(labels, device):
    """Those of a batch: a tensor, or one for each image."""
    return labels.to(device) if torch.is_tensor(labels) else [one.to(device) for one in labels]


def main(path):
    job = Job(path, DEFAULTS)
    types = SUBJECTS[job.task].TYPES if job.task in SUBJECTS else ()
    if job.model_type not in types:
        known = [name for subject in SUBJECTS.values() for name in subject.TYPES]
        raise JobError(f"It trains {', '.join(known)}, each for its task.")
    stopped = watch_for_stop()
    random.seed(job.seed)
    numpy.random.seed(job.seed)
    torch.manual_seed(job.seed)
    Training(job, stopped).run()


if __name__ == "__main__":
    run_as_program(main)
