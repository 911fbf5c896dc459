"""
Trains an RF-DETR model (Apache-2.0) for Fovea: train.py JOB_FILE; docs/trainer.md has the contract.
Written from the source of rfdetr 1.4.1; it was not run with it.
"""

import json
import os
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "contract"))

from dataset import write_dataset
from figures import figures_of, test_figures
from job import (
    Job,
    JobError,
    Reports,
    run_as_program,
    watch_for_stop,
    write_metrics,
    write_text,
    write_whole,
)
from metadata import metadata
from pace import Pace
from weights import Stopped, missing_package, refuse_checkpoint, weights_folder, weights_of

# Class of the library, published weights, and the side of the canvas, which is fixed.
MODELS = {
    "rf-detr-nano": ("RFDETRNano", "rf-detr-nano.pth", 384),
    "rf-detr-small": ("RFDETRSmall", "rf-detr-small.pth", 512),
    "rf-detr-medium": ("RFDETRMedium", "rf-detr-medium.pth", 576),
}
DEFAULTS = {"batchSize": 4, "learningRate": 0.0001, "patience": 10}
# Of its best weights, the file that it prefers first.
BEST = ("total", "ema", "regular")
# Images whose slopes make a step, as its makers advise.
STEP_IMAGES = 16
# Of an epoch: where there are fewer images, it takes some twice.
STEPS_MIN = 5
PREPROCESSING = "letterbox, grey 114; 0 to 1; mean and deviation are in the graph"


class Training:
    def __init__(self, job, library, stopped, scratch):
        self.job = job
        self.stopped = stopped
        self.reports = Reports(job.epochs)
        self.pace = Pace()
        name, self.published, self.size = MODELS[job.model_type]
        job.image_size = self.size
        self.build = getattr(library, name)
        self.dataset = os.path.join(scratch, "dataset")
        self.images = write_dataset(job, self.dataset, self.size)
        # What stays for the next attempt.
        self.folder = os.path.join(job.state or scratch, "run")
        os.makedirs(self.folder, exist_ok=True)
        self.gathered = max(1, round(STEP_IMAGES / job.batch_size))
        self.epoch = 0
        self.begun = time.monotonic()
        # Those since this attempt began: it forgets older ones too.
        self.best = None
        self.best_epoch = 0

    def run(self):
        try:
            self.train()
        except Stopped:
            pass
        kept = (os.path.join(self.folder, f"checkpoint_best_{name}.pth") for name in BEST)
        found = next((path for path in kept if os.path.exists(path)), None)
        if found is None or self.best is None:
            raise JobError("It was stopped before an epoch of this attempt was done.")
        self.finish(self.build(pretrain_weights=found))

    def train(self):
        job = self.job
        # It was killed after its last epoch.
        if self.resume_end():
            return
        model = self.start()
        model.callbacks["on_train_batch_start"].append(self.on_step)
        model.callbacks["on_fit_epoch_end"].append(self.on_epoch)
        last = os.path.join(self.folder, "checkpoint.pth")
        resumes = {"resume": last} if os.path.exists(last) else {}
        model.train(
            dataset_dir=self.dataset,
            output_dir=self.folder,
            epochs=job.epochs,
            batch_size=job.batch_size,
            grad_accum_steps=self.gathered,
            lr=job.learning_rate,
            early_stopping=True,
            early_stopping_patience=job.patience,
            run_test=self.images["test"] > 0,
            tensorboard=False,
            **resumes,
        )

    def start(self):
        """With published weights: without them it would learn little, and fetch its backbone."""
        path = os.path.join(weights_folder(), self.published)
        chosen = weights_of(self.job)
        if chosen == "local" and os.path.exists(path):
            return self.build(pretrain_weights=path)
        if chosen != "download":
            raise JobError(
                f"{self.published} is not there: set trainRecipe.weights to "
                '"download" once. RF-DETR always starts from published weights.'
            )
        os.makedirs(weights_folder(), exist_ok=True)
        # It fetches them into the folder in which it is.
        here = os.getcwd()
        os.chdir(weights_folder())
        try:
            return self.build()
        finally:
            os.chdir(here)

    def on_step(self, _step):
        if self.stopped.is_set():
            raise Stopped
        images = self.job.batch_size * self.gathered
        steps = max(STEPS_MIN, self.images["train"] // images)
        seconds = self.pace.step(steps, self.images["train"], self.images["valid"])
        if seconds is not None:
            self.say(self.epoch, seconds, {"pretrained": 1.0})

    def on_epoch(self, log):
        self.epoch = log["epoch"] + 1
        figures = figures_of(log)
        if self.best is None or figures["map50_95"] > self.best["map50_95"]:
            self.best, self.best_epoch = figures, self.epoch
        seconds, self.begun = time.monotonic() - self.begun, time.monotonic()
        self.save()
        loss = {"loss": float(log["train_loss"])} if "train_loss" in log else {}
        self.say(self.epoch, seconds, {**loss, **figures})

    def save(self):
        done = {"epoch": self.epoch, "best": self.best, "best_epoch": self.best_epoch}
        write_whole(self.progress_file(), lambda part: write_text(part, json.dumps(done)))

    def resume_end(self):
        """Whether all epochs were done before."""
        if not os.path.exists(self.progress_file()):
            return False
        with open(self.progress_file(), encoding="utf-8") as file:
            done = json.load(file)
        if done["epoch"] < self.job.epochs:
            return False
        self.epoch, self.best, self.best_epoch = done["epoch"], done["best"], done["best_epoch"]
        return True

    def progress_file(self):
        return os.path.join(self.folder, "fovea.json")

    def say(self, epoch, seconds, metrics):
        left = seconds * (self.job.epochs - epoch)
        times = {"seconds_per_epoch": seconds, "seconds_left": left}
        self.reports.say(epoch, {**metrics, **times})

    def finish(self, model):
        import onnx

        from graph import run_by_fovea

        model.export(output_dir=self.folder, opset_version=17, verbose=False)
        job = self.job
        written = onnx.load(os.path.join(self.folder, "inference_model.onnx"))
        written = run_by_fovea(written, self.size, len(job.classes))
        known = metadata(job, {"confidence": 0.5}, "RF-DETR", PREPROCESSING)
        for key, value in {**known, "task": "detect"}.items():
            written.metadata_props.add(key=key, value=value)
        write_whole(
            os.path.join(job.output, "model.onnx"), lambda part: onnx.save(written, part)
        )
        results = os.path.join(self.folder, "results.json")
        tested = {}
        if self.images["test"] > 0 and os.path.exists(results):
            with open(results, encoding="utf-8") as file:
                tested = test_figures(json.load(file))
        write_metrics(
            job,
            {
                **self.best,
                **tested,
                "epochs": self.epoch,
                "best_epoch": self.best_epoch,
                "pretrained": 1.0,
                **{f"images_{split}": count for split, count in self.images.items()},
            },
        )


def main(path):
    job = Job(path, DEFAULTS)
    if job.model_type not in MODELS or job.task != "detection":
        raise JobError(f"It trains {', '.join(MODELS)}, for detection.")
    refuse_checkpoint(job)
    try:
        import rfdetr
    except ImportError as error:
        raise missing_package("rf-detr", error) from None
    # Beside the job, whose folder goes with it.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as scratch:
        Training(job, rfdetr, watch_for_stop(), scratch).run()


if __name__ == "__main__":
    run_as_program(main)
