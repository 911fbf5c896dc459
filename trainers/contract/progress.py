"""How far a training is: its best epoch, when it has settled, and how fast it learns."""

import math

SPLITS = ("train", "valid", "test")
# Fovea gives a minute to one that is to stop.
SECONDS_FOR_TEST_MAX = 20


class Progress:
    """`quality` makes one figure of those of an epoch; the best epoch has the most of it."""

    def __init__(self, job, quality):
        self.job = job
        self.quality = quality
        self.epoch = 0
        self.best = None
        self.best_epoch = 0
        self.best_values = None

    def add(self, figures, values):
        """An epoch is done. `values()` copies the weights; it is called for the best alone."""
        self.epoch += 1
        if self.best is not None and self.quality(figures) <= self.quality(self.best):
            return
        self.best = figures
        self.best_epoch = self.epoch
        self.best_values = values()

    def is_over(self):
        return self.epoch >= self.job.epochs or self.has_settled()

    def has_settled(self):
        # From nothing it may take many epochs to the first find: no sign that no more comes.
        if self.best is None or self.quality(self.best) == 0:
            return False
        return self.epoch - self.best_epoch >= self.job.patience

    def rate(self, share):
        """Of learning, at this share of an epoch: a short start, then half a wave down."""
        done = self.epoch + share
        start = min(1, (done + 0.1) / 1.1)
        wave = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done / self.job.epochs))
        return self.job.learning_rate * start * wave

    def state(self):
        return {
            "epoch": self.epoch,
            "best": self.best,
            "best_epoch": self.best_epoch,
            "best_values": self.best_values,
        }

    def resume(self, state):
        self.epoch = state["epoch"]
        self.best = state["best"]
        self.best_epoch = state["best_epoch"]
        self.best_values = state["best_values"]


def of_test(tested, names):
    """The figures of the test split, under names of their own."""
    return {f"test_{name}": tested[name] for name in names}
