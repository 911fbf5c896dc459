"""
Trains a YOLO model of Ultralytics (AGPL-3.0) for Fovea: train.py JOB_FILE; docs/trainer.md has the
contract. Written from the source of Ultralytics; it was not run with it.
"""

import json
import os
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "contract"))

from dataset import count_images, data_of
from figures import figures_of, loss_of
from job import Job, JobError, Reports, run_as_program, watch_for_stop, write_metrics, write_whole
from pace import Pace
from progress import SECONDS_FOR_TEST_MAX, SPLITS, of_test
from weights import Stopped, missing_package, refuse_checkpoint, weights_folder, weights_of

PREFIX = "ultralytics-"
DEFAULTS = {"batchSize": 16, "learningRate": 0.001, "patience": 50, "imageSize": 640}
OPSET = 17


class Training:
    def __init__(self, job, library, stopped, scratch):
        self.job = job
        self.library = library
        self.stopped = stopped
        self.scratch = scratch
        self.reports = Reports(job.epochs)
        self.pace = Pace()
        self.images = {split: count_images(job, split) for split in SPLITS}
        for split, purpose in (("train", "learn from"), ("valid", "measure on")):
            if self.images[split] == 0:
                raise JobError(f"The {split} split has no images to {purpose}.")
        self.data = data_of(job, os.path.join(scratch, "classes"))
        # What stays for the next attempt.
        self.home = job.state or scratch
        self.weights = os.path.join(self.home, "run", "weights")
        self.pretrained = 0.0
        self.epoch = 0
        self.best_epoch = 0
        self.is_over = False

    def run(self):
        try:
            self.train()
        except Stopped:
            pass
        best = os.path.join(self.weights, "best.pt")
        if not os.path.exists(best):
            raise JobError("It was stopped before its first epoch was done.")
        self.finish(self.library.YOLO(best))

    def train(self):
        job = self.job
        last = os.path.join(self.weights, "last.pt")
        resumes = os.path.exists(last)
        model = self.library.YOLO(last) if resumes else self.start()
        model.add_callback("on_train_batch_start", self.on_step)
        model.add_callback("on_fit_epoch_end", self.on_epoch)
        options = {
            "data": self.data,
            "epochs": job.epochs,
            "batch": job.batch_size,
            "imgsz": job.image_size,
            "patience": job.patience,
            "seed": job.seed,
            "optimizer": "AdamW",
            "lr0": job.learning_rate,
            "project": self.home,
            "name": "run",
            "exist_ok": True,
            "plots": False,
            # Its check of mixed precision fetches a model.
            "amp": weights_of(job) == "download",
        }
        try:
            model.train(**({"resume": True, "data": self.data} if resumes else options))
        except AssertionError as error:
            # It was killed after its last epoch.
            if not resumes or "nothing to resume" not in str(error):
                raise

    def start(self):
        """A model with published weights, or from nothing."""
        name = self.job.model_type.removeprefix(PREFIX)
        path = os.path.join(weights_folder(), f"{name}.pt")
        chosen = weights_of(self.job)
        if chosen == "download":
            os.makedirs(weights_folder(), exist_ok=True)
        if chosen == "download" or (chosen == "local" and os.path.exists(path)):
            self.pretrained = 1.0
            return self.library.YOLO(path)
        return self.library.YOLO(f"{name}.yaml")

    def on_step(self, trainer):
        if self.stopped.is_set():
            raise Stopped
        seconds = self.pace.step(
            len(trainer.train_loader), self.images["train"], self.images["valid"]
        )
        if seconds is not None:
            self.say(trainer.epoch, seconds, {"pretrained": self.pretrained})

    def on_epoch(self, trainer):
        # It is called once more when the best weights are judged at the end.
        if self.is_over:
            return
        self.is_over = bool(trainer.stop)
        self.epoch = trainer.epoch + 1
        if trainer.fitness == trainer.best_fitness:
            self.best_epoch = self.epoch
        figures = figures_of(trainer.metrics, self.job.task)
        loss = {"loss": loss_of(trainer.tloss)} if trainer.tloss is not None else {}
        self.say(self.epoch, trainer.epoch_time, {**loss, **figures})

    def say(self, epoch, seconds, metrics):
        left = seconds * (self.job.epochs - epoch)
        times = {"seconds_per_epoch": seconds, "seconds_left": left}
        self.reports.say(epoch, {**metrics, **times})

    def finish(self, model):
        """The model first: whoever is out of patience finds it."""
        begun = time.monotonic()
        figures = self.judge(model, "val")
        exported = model.export(
            format="onnx",
            imgsz=self.job.image_size,
            opset=OPSET,
            nms=False,
            dynamic=False,
            # Needs one more package.
            simplify=False,
        )
        self.keep(str(exported))
        metrics = {
            **figures,
            "epochs": self.epoch,
            "best_epoch": self.best_epoch,
            "pretrained": self.pretrained,
            **{f"images_{split}": count for split, count in self.images.items()},
        }
        write_metrics(self.job, metrics)
        is_late = self.stopped.is_set() and time.monotonic() - begun > SECONDS_FOR_TEST_MAX
        if self.images["test"] > 0 and not is_late:
            tested = self.judge(model, "test")
            write_metrics(self.job, {**metrics, **of_test(tested, tested)})

    def judge(self, model, split):
        results = model.val(
            data=self.data,
            split=split,
            imgsz=self.job.image_size,
            batch=self.job.batch_size,
            plots=False,
            project=self.scratch,
            name=split,
        )
        return figures_of(results.results_dict, self.job.task)

    def keep(self, exported):
        """Its metadata say how it is run; of classes they name the folders."""
        import onnx

        model = onnx.load(exported)
        named = [one for one in model.metadata_props if one.key == "names"]
        for one in named or [model.metadata_props.add(key="names")]:
            one.value = json.dumps(self.job.classes)
        path = os.path.join(self.job.output, "model.onnx")
        write_whole(path, lambda part: onnx.save(model, part))


def main(path):
    job = Job(path, DEFAULTS)
    if not job.model_type.startswith(PREFIX):
        raise JobError(f"It trains models whose type begins with {PREFIX}.")
    refuse_checkpoint(job)
    # Read when the library is loaded: it installs nothing, and asks nobody who is not named.
    os.environ["YOLO_AUTOINSTALL"] = "false"
    if weights_of(job) != "download":
        os.environ["YOLO_OFFLINE"] = "true"
    # Beside the job, whose folder goes with it.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as scratch:
        os.environ["YOLO_CONFIG_DIR"] = scratch
        try:
            import ultralytics
        except ImportError as error:
            raise missing_package("ultralytics", error) from None
        Training(job, ultralytics, watch_for_stop(), scratch).run()


if __name__ == "__main__":
    run_as_program(main)
