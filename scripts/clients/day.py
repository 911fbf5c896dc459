"""A day's work of the vendor's Python client, by its methods and by its command line.

Run by scripts/clients.ts, with the client on PYTHONPATH and its hosts in the environment. Writes one
line of JSON for each step: surface, name, kind of project, outcome, detail. Methods and commands are
found by introspection: one that no step runs is a failure of its own.
"""

import contextlib
import inspect
import io
import json
import os
import re
import sys
import time
import traceback

import click
import requests
import typer

import roboflow
from roboflow.cli import app
from roboflow.core.device import Device
from roboflow.core.model_eval import ModelEval
from roboflow.core.project import Project
from roboflow.core.training import TrainedModel, Training
from roboflow.core.version import Version
from roboflow.core.workspace import Workspace
from roboflow.models.classification import ClassificationModel
from roboflow.models.inference import InferenceModel
from roboflow.models.instance_segmentation import InstanceSegmentationModel
from roboflow.models.object_detection import ObjectDetectionModel
from roboflow.roboflowpy import main

CLASSES = [
    roboflow.Roboflow,
    Workspace,
    Project,
    Version,
    Training,
    TrainedModel,
    InferenceModel,
    ObjectDetectionModel,
    ClassificationModel,
    InstanceSegmentationModel,
    Device,
    ModelEval,
]

# How the platform says that it does not have what was asked for.
NOT_SERVED = re.compile(r"Not served here: (.*?)\.\"|no operation at this path|This path has only the methods")

# What needs more than a platform: never called here.
OUTSIDE = {
    "Workspace.clip_compare": "needs a separate CLIP service",
    "Workspace.active_learning": "needs a separate CLIP service",
    "Workspace.two_stage": "always calls the vendor's own inference host",
    "Workspace.two_stage_ocr": "needs a separate OCR service",
    "Workspace.deploy_model": "needs PyTorch; the upload of weights trained elsewhere is not served",
    "Version.deploy": "needs PyTorch; the upload of weights trained elsewhere is not served",
    "ObjectDetectionModel.webcam": "needs a camera and a window",
    "ClassificationModel.predict": "always calls the vendor's own inference host",
    "ClassificationModel.load_model": "always calls the vendor's own inference host",
    "upload_model": "needs PyTorch; the upload of weights trained elsewhere is not served",
    "model upload": "needs PyTorch; the upload of weights trained elsewhere is not served",
    "help": "needs the package rich",
    "completion install": "changes the shell of the user",
}

OUT = open(sys.argv[3], "w", buffering=1)
rows = []
ran = set()
seen = []
_send = requests.Session.send
_sleep = time.sleep


def _recorded(session, request, **options):
    options.setdefault("timeout", 60)
    response = _send(session, request, **options)
    path = "/" + request.url.split("/", 3)[-1].split("?")[0]
    seen.append((request.method, path, response.status_code, response))
    return response


requests.Session.send = _recorded
# The client sleeps between two looks at long work; nothing else changes when it looks more often.
time.sleep = lambda seconds: _sleep(min(seconds, 0.5))


class Refused(Exception):
    """What a step expects of the client."""


def report(surface, name, kind, outcome, detail=""):
    ran.add(name)
    detail = re.sub(r"\s+", " ", str(detail)).strip()[:300]
    row = {"surface": surface, "name": name, "kind": kind, "outcome": outcome, "detail": detail}
    rows.append(row)
    OUT.write(json.dumps(row) + "\n")


def failure(error, refused, output="", own=None):
    """The outcome and the detail of a step that did not end well; `own` is a fault of the client."""
    text = f"{type(error).__name__}: {error}" if error is not None else output
    for method, path, status, response in reversed(seen):
        said = NOT_SERVED.search(response.text) if status in (404, 405) else None
        if said:
            return "absent", said.group(1) or f"{method} {path}"
    said = re.search(refused, text + output) if refused else None
    if said:
        return "refused", said.group(0)
    if own and own[0] in text and all(status < 400 for _, _, status, _ in seen):
        return "client", own[1]
    calls = ", ".join(f"{method} {path} {status}" for method, path, status, _ in seen[-2:])
    return "FAILED", f"{text} [{calls}]"


def step(name, call, kind="", check=None, refused=None, own=None):
    """Runs a method; `check` must hold of its result; `refused` is in the message of its error, as is
    the first text of `own`, an error of the client itself, with what to do about it."""
    seen.clear()
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            result = call()
            if inspect.isgenerator(result):
                result = list(result)
    except (Exception, SystemExit) as error:
        if os.environ.get("CLIENTS_TRACE"):
            traceback.print_exc()
        report("method", name, kind, *failure(error, refused, own=own))
        return None
    if refused:
        report("method", name, kind, "FAILED", f"was to be refused, and gave {result!r}")
    elif check and not check(result):
        report("method", name, kind, "FAILED", f"gave {result!r}")
    else:
        report("method", name, kind, "works")
    return result


def command(name, *words, kind="", check=None, refused=None, json_output=True):
    """Runs a command; gives what it printed as JSON, where it did."""
    seen.clear()
    printed, complaints = io.StringIO(), io.StringIO()
    sys.argv = ["roboflow", *(["--json"] if json_output else []), *name.split(" "), *map(str, words)]
    code, error = 0, None
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else (0 if end.code is None else 1)
    except Exception as thrown:
        if os.environ.get("CLIENTS_TRACE"):
            traceback.print_exc()
        code, error = 1, thrown
    output = printed.getvalue()
    if code != 0:
        report("command", name, kind, *failure(error, refused, output + complaints.getvalue()))
        return None
    result = parsed(output)
    if refused:
        report("command", name, kind, "FAILED", f"was to be refused, and printed {output}")
    elif check and not check(result):
        report("command", name, kind, "FAILED", f"printed {output}")
    else:
        report("command", name, kind, "works")
    return result


def parsed(output):
    for start in re.finditer(r"^[\[{]", output, re.MULTILINE):
        with contextlib.suppress(ValueError):
            return json.JSONDecoder().raw_decode(output[start.start():])[0]
    return output


def account_for_all():
    """A row for each method and command that no step ran."""
    for of in CLASSES:
        for name, member in vars(of).items():
            if name.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
                continue
            absent_or_forgotten("method", f"{of.__name__}.{name}")

    def walk(entry, path):
        if isinstance(entry, click.Group):
            for name, inner in entry.commands.items():
                walk(inner, [*path, name])
        else:
            absent_or_forgotten("command", " ".join(path))

    walk(typer.main.get_command(app), [])


def absent_or_forgotten(surface, name):
    if name in ran:
        return
    why = OUTSIDE.get(name)
    report(surface, name, "", *(("outside", why) if why else ("FAILED", "no step runs it")))
