"""The job file, and what Fovea is told: docs/trainer.md has the contract."""

import json
import math
import os
import signal
import sys
import threading


class JobError(Exception):
    """Says to people why this job cannot be done."""


class Job:
    """What all trainers read of it. Where a recipe leaves something out, its trainer's default."""

    def __init__(self, path, defaults):
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
        if given.get("contract") != 1:
            raise JobError("This is no job file of contract 1.")
        self.model_type = given["modelType"]
        self.task = given["task"]
        self.dataset = given["dataset"]
        self.output = given["output"]
        self.classes = given["classes"]
        self.checkpoint = given.get("checkpoint")
        # Absent where Fovea keeps nothing between attempts.
        self.state = given.get("state")
        self.recipe = given["recipe"]
        settings = {**defaults, **self.recipe["hyperparameters"]}
        self.epochs = int(settings["epochs"])
        self.learning_rate = float(settings["learningRate"])
        self.patience = int(settings["patience"])
        self.batch_size = int(settings.get("batchSize", 1))
        self.image_size = int(settings.get("imageSize", 320))
        self.seed = int(settings.get("seed", 0))


class Reports:
    """Lines on standard output. What libraries print goes to standard error."""

    def __init__(self, epochs):
        self.epochs = epochs
        self.lines, sys.stdout = sys.stdout, sys.stderr

    def say(self, epoch, metrics):
        line = {"epoch": epoch, "epochs": self.epochs, "metrics": tidy(metrics)}
        print(json.dumps(line), file=self.lines, flush=True)


def tidy(metrics):
    return {name: round(value, 5) for name, value in metrics.items() if math.isfinite(value)}


def write_metrics(job, metrics):
    write_whole(
        os.path.join(job.output, "metrics.json"),
        lambda path: write_text(path, json.dumps(tidy(metrics)) + "\n"),
    )


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_whole(path, write):
    """A file that is there is complete: whoever is killed leaves the one before."""
    part = f"{path}.{os.getpid()}.part"
    write(part)
    os.replace(part, path)


def watch_for_stop():
    """An event that is set once Fovea wants the training to end."""
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())

    def wait_for_end_of_input():
        # Not sys.stdin: a thread that waits in it would break the end of the program.
        while os.read(0, 65536):
            pass
        stopped.set()

    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    return stopped


def run_as_program(main):
    """Calls `main` with the path of the job file; its words for people are all that is said."""
    try:
        main(sys.argv[1])
        # All is written. While Python ends it would take a late signal as one that kills.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except JobError as error:
        sys.exit(str(error))
