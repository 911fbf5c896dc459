"""The steps of the day, in the order in which a team works: see day.py."""

import itertools
import json
import os
import shutil
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

from day import account_for_all, command, report, step

import roboflow
from roboflow.core.device import Device
from roboflow.core.model_eval import ModelEval
from roboflow.models.inference import InferenceModel
from roboflow.models.instance_segmentation import InstanceSegmentationModel

KINDS = {
    "object-detection": "object-detection",
    "classification": "single-label-classification",
    "instance-segmentation": "instance-segmentation",
}
FORMATS = {
    "object-detection": ["coco", "yolov5", "yolov8", "voc", "createml", "tfrecord", "multiclass"],
    "classification": ["folder", "multiclass"],
    "instance-segmentation": ["coco-segmentation", "yolov8", "voc"],
}
SETTINGS = {
    "preprocessing": {
        "auto-orient": True,
        "resize": {"width": 320, "height": 320, "format": "Stretch to"},
    },
    "augmentation": {"flip": {"horizontal": True, "vertical": False}, "image": {"versions": 2}},
}
MAIL = "labeler@example.com"
pictures_made = itertools.count(1)


def run(sample, folder, clip):
    pictures = sorted((sample / "JPEGImages").glob("*.jpg"))
    key = os.environ["ROBOFLOW_API_KEY"]
    rf = step("Roboflow.auth", lambda: roboflow.Roboflow(api_key=key))
    step("Roboflow.workspace", rf.workspace, check=lambda ws: ws.url == "acme")
    ws = rf.workspace()
    day = {"sample": sample, "folder": folder, "pictures": pictures, "rf": rf, "ws": ws, "clip": clip, "videos": []}
    projects = {kind: work_on(day, kind) for kind in KINDS}
    step("Roboflow.project", lambda: rf.project("cells-object-detection"))
    step("Workspace.project", lambda: ws.project("cells-object-detection"))
    ws = rf.workspace()
    step("Workspace.projects", ws.projects, check=lambda ids: len(ids) == 3)
    step("Workspace.list_projects", ws.list_projects)
    section("the workspace", lambda: in_workspace(day, projects))
    section("training", lambda: train(day, projects["object-detection"]))
    section("vision events", lambda: events(day))
    for part in [commands, images_by_command, versions_by_command, workspace_by_command, events_by_command]:
        section(part.__name__, lambda: part(day))
    section("the trash", lambda: last(day, projects))
    section("the trash, by command", lambda: command_ends(day))
    section("videos", lambda: video_results(day))


def section(name, work):
    """A part of the day; what ends it between two steps is a failure, and the day goes on."""
    try:
        work()
    except Exception as error:
        report("method", f"({name})", "", "FAILED", f"{type(error).__name__}: {error}")


# Methods on a project of each kind.


def work_on(day, kind):
    ws, folder, pictures = day["ws"], day["folder"], day["pictures"]
    make = lambda: ws.create_project(f"cells {kind}", KINDS[kind], "MIT", "cells")
    project = step("Workspace.create_project", make, kind, lambda one: one.type == kind)
    if project is None:
        return None
    annotation = annotation_of(day, kind)
    first = upload(day, project, kind, annotation)
    step("Project.search", lambda: project.search(tag="first"), kind, lambda found: len(found) == 1)
    all_found = lambda pages: len(pages) > 1
    step("Project.search_all", lambda: project.search_all(limit=5), kind, all_found)
    step("Project.image", lambda: project.image(first), kind, lambda one: one["id"] == first)
    change = lambda: project.update_image_metadata(
        first, metadata={"camera": "north"}, add_tags=["seen"]
    )
    step("Project.update_image_metadata", change, kind, lambda answer: answer["success"])
    batches_and_jobs(project, kind)
    step("Project.health", project.health, kind, lambda one: one["health"])
    new = lambda: project.generate_version(SETTINGS)
    number = step("Project.generate_version", new, kind, lambda made: made == 1)
    versions(day, project, kind, number)
    return project


def upload(day, project, kind, annotation):
    pictures, folder = day["pictures"], day["folder"]
    step("Project.check_valid_image", lambda: project.check_valid_image(str(pictures[0])), kind, bool)
    single = lambda: project.single_upload(
        image_path=str(pictures[0]),
        annotation_path=annotation(pictures[0]),
        split="train",
        batch_name="morning",
        tag_names=["first"],
        metadata={"shift": 1},
    )
    made = step("Project.single_upload", single, kind, lambda one: one["annotation"]["success"])
    first = made["image"]["id"] if made else None
    again = lambda: project.upload(str(pictures[1]), annotation(pictures[1]), split="valid")
    step("Project.upload", again, kind)
    third = lambda: project.upload_image(str(pictures[2]), split="test", batch_name="noon")
    made = step("Project.upload_image", third, kind, lambda one: one[0]["success"])
    if made:
        save = lambda: project.save_annotation(annotation(pictures[2]), image_id=made[0]["id"])
        step("Project.save_annotation", save, kind, lambda one: one[0]["success"])
    bulk = folder / f"bulk-{kind}"
    lay_out(day, kind, bulk)
    name = project.id.split("/")[1]
    of_kind = {"project_type": KINDS[kind], "batch_name": "evening"}
    step("Workspace.upload_dataset", lambda: day["ws"].upload_dataset(str(bulk), name, **of_kind), kind)
    lost = folder / f"one-{kind}"
    (lost / "train" / "cells").mkdir(parents=True)
    shutil.copy(pictures[3], lost / "train" / "cells" / "copy.jpg")
    zipped = lambda: day["ws"].upload_dataset(
        str(lost), name, use_zip_upload=True, tags=["zipped"], batch_name="night"
    )
    step("Workspace.upload_dataset", zipped, f"{kind}, zip", lambda one: one["status"] == "completed")
    return first


def lay_out(day, kind, folder):
    """A dataset folder as people have them: VOC, folders of classes, or COCO."""
    for at, picture in enumerate(day["pictures"][3:]):
        split = ["train", "valid", "test"][at % 3]
        place = folder / split / ("many" if at % 2 else "few") if kind == "classification" else folder / split
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, place / picture.name)
        if kind == "object-detection":
            shutil.copy(day["sample"] / "Annotations" / f"{picture.stem}.xml", place)
    if kind == "instance-segmentation":
        for split in ["train", "valid", "test"]:
            files = sorted((folder / split).glob("*.jpg"))
            (folder / split / "_annotations.coco.json").write_text(json.dumps(coco_of(files)))


def annotation_of(day, kind):
    if kind == "classification":
        return lambda picture: "many"
    if kind == "object-detection":
        return lambda picture: str(day["sample"] / "Annotations" / f"{picture.stem}.xml")

    def outline(picture):
        path = day["folder"] / f"{picture.stem}.json"
        path.write_text(json.dumps(coco_of([picture])))
        return str(path)

    return outline


def coco_of(files):
    outline = [100, 100, 200, 110, 190, 210, 90, 190]
    return {
        "info": {"description": "cells"},
        "licenses": [],
        "images": [
            {"id": at, "file_name": file.name, "width": 640, "height": 480}
            for at, file in enumerate(files)
        ],
        "categories": [{"id": 1, "name": "RBC"}],
        "annotations": [
            {
                "id": at,
                "image_id": at,
                "category_id": 1,
                "bbox": [90, 100, 110, 110],
                "area": 9000,
                "iscrowd": 0,
                "segmentation": [outline],
            }
            for at in range(len(files))
        ],
    }


def batches_and_jobs(project, kind):
    listed = step("Project.get_batches", project.get_batches, kind, lambda one: len(one["batches"]) >= 3)
    free = project.upload_image(project_picture(project), batch_name="to label")[0]["id"]
    batches = project.get_batches()["batches"] if listed else []
    batch = next((one["id"] for one in batches if one["name"] == "to label"), "none")
    step("Project.get_batch", lambda: project.get_batch(batch), kind)
    make = lambda: project.create_annotation_job("morning", batch, 1, MAIL, MAIL)
    job = step("Project.create_annotation_job", make, kind, lambda one: one["numImages"] == 1)
    step("Project.get_annotation_jobs", project.get_annotation_jobs, kind, lambda one: len(one["jobs"]) >= 1)
    if job:
        step("Project.get_annotation_job", lambda: project.get_annotation_job(job["id"]), kind)
    gone = lambda: project.delete_images([free])
    step("Project.delete_images", gone, kind)


def project_picture(project):
    """An image that no project has yet; the day by tools makes the same, of the same name."""
    import numpy
    from PIL import Image

    seed = next(pictures_made)
    name = f"picture-{seed}.png"
    pixels = (numpy.arange(64 * 64 * 3) * (7 + seed) % 256).astype("uint8")
    Image.fromarray(pixels.reshape(64, 64, 3)).save(name)
    return name


def versions(day, project, kind, number):
    step("Project.get_version_information", project.get_version_information, kind, lambda one: len(one) == 1)
    step("Project.list_versions", project.list_versions, kind)
    step("Project.versions", project.versions, kind, lambda found: len(found) == 1)
    version = step("Project.version", lambda: project.version(number), kind)
    if version is None:
        return
    for format in FORMATS[kind]:
        place = day["folder"] / f"{kind}-{format}"
        get = lambda: version.download(format, location=str(place))
        step("Version.download", get, f"{kind}, {format}", lambda _: any(place.iterdir()))
    step("Version.export", lambda: version.export(FORMATS[kind][0]), kind, lambda one: one is True)


# Methods on the workspace.


def in_workspace(day, projects):
    ws, folder = day["ws"], day["folder"]
    project = projects["object-detection"]
    found = step("Workspace.search", lambda: ws.search("tag:first"), check=lambda one: one["total"] == 3)
    fields = lambda one: all(row["projects"] and row["filename"] for row in one["results"])
    step("Workspace.search", lambda: ws.search("*"), "its own fields", fields)
    step("Workspace.search_all", lambda: ws.search_all("*", page_size=10), check=lambda one: len(one) > 1)
    ids = [row["id"] for row in ws.search("tag:first", fields=["id"])["results"]] if found else []
    change = lambda: ws.update_image_metadata(ids[0], metadata={"line": 2})
    step("Workspace.update_image_metadata", change, check=lambda one: one["success"])
    updates = [{"imageId": one, "addTags": ["bulk"]} for one in ids]
    many = lambda: ws.batch_update_image_metadata(updates, wait=True)
    done = step("Workspace.batch_update_image_metadata", many, check=lambda one: one["status"] == "completed")
    if done:
        step("Workspace.get_async_task", lambda: ws.get_async_task(done["taskId"]))
    one = lambda: ws.search_export(
        "tag:first", "coco", str(folder / "found-one"), dataset="cells-object-detection"
    )
    step("Workspace.search_export", one, "a dataset")
    step("Workspace.search_export", lambda: ws.search_export("class:Platelets", "coco", str(folder / "found")), "all projects")
    lone = project.upload_image(project_picture(project))[0]["id"]
    skipped = lambda answer: answer.get("skippedSources") == 1
    step("Workspace.delete_images", lambda: ws.delete_images([lone]), "of a project: kept", skipped)
    fork = lambda: ws.fork_project(source_project_slug="cells-object-detection")
    step("Workspace.fork_project", fork, check=lambda one: one["taskId"])
    workflows_and_folders(ws)
    step("Workspace.get_usage", ws.get_usage)
    step("Workspace.get_plan", ws.get_plan)
    step("Workspace.devices", ws.devices)
    step("Workspace.device", lambda: ws.device("d1"))
    step("Workspace.create_device", lambda: ws.create_device("camera"))
    device = Device(os.environ["ROBOFLOW_API_KEY"], "acme", {"id": "d1"})
    for name in ["refresh", "config", "config_history", "streams", "logs", "telemetry", "events"]:
        step(f"Device.{name}", getattr(device, name))
    step("Device.stream", lambda: device.stream("s1"))
    step("Workspace.evals", ws.evals)
    step("Workspace.eval", lambda: ws.eval("e1"))
    evaluation = ModelEval(os.environ["ROBOFLOW_API_KEY"], "acme", "e1")
    for name in [name for name in vars(ModelEval) if not name.startswith("_")]:
        step(f"ModelEval.{name}", getattr(evaluation, name))


def workflows_and_folders(ws):
    made = step("Workspace.create_folder", lambda: ws.create_folder("line 1"), check=lambda one: one["id"])
    step("Workspace.list_folders", ws.list_folders, check=lambda one: len(one["data"]) == 1)
    if made:
        put = lambda: ws.add_projects_to_folder(made["id"], ["cells-classification"])
        step("Workspace.add_projects_to_folder", put)
        take = lambda: ws.remove_projects_from_folder(made["id"], ["cells-classification"])
        step("Workspace.remove_projects_from_folder", take)
    definition = {"version": "1.0", "inputs": [], "steps": [], "outputs": []}
    slug_of = lambda one: one["workflow"]["url"]
    make = lambda: ws.create_workflow("Count cells", definition)
    step("Workspace.create_workflow", make, check=lambda one: slug_of(one) == "count-cells")
    step("Workspace.list_workflows", ws.list_workflows, check=lambda one: len(one["workflows"]) == 1)
    as_it_was = lambda one: json.loads(one["workflow"]["config"]) == {"specification": definition}
    step("Workspace.get_workflow", lambda: ws.get_workflow("count-cells"), check=as_it_was)


# Training, and what a model sees.


def train(day, project):
    picture = str(day["pictures"][0])
    version = project.version(1)
    recipe = lambda: version.describe_train_recipe("fovea-example")
    step("Version.describe_train_recipe", recipe, check=lambda one: one["template"])
    start = lambda: version.create_training(model_type="fovea-example", epochs=60)
    training = step("Version.create_training", start, check=lambda one: one.training_id)
    step("Training.refresh", lambda: until_ended(training), check=lambda one: one.status == "finished")
    step("Version.trainings", version.trainings, check=lambda one: len(one) == 1)
    step("Training.models", lambda: training.models, check=lambda one: len(one) == 1)
    models = step("Version.models", version.models, check=lambda one: len(one) == 1)
    if models:
        model = models[0]
        step("TrainedModel.predict", lambda: model.predict(picture, confidence=5), check=lambda one: len(one.predictions) > 0)
        step("TrainedModel.download", lambda: model.download(location=str(day["folder"])))
        start_video(day, "TrainedModel", model)
    more = version.create_training(model_type="fovea-example", epochs=300)
    until(more, lambda: more.status != "queued")
    step("Training.stop", more.stop)
    until_ended(more)
    more = version.create_training(model_type="fovea-example", epochs=300)
    step("Training.cancel", more.cancel)
    step("Version.train", lambda: version.train(model_type="fovea-example", epochs=3))
    names_no_type = "names no model type, which the client then needs: call version.train(model_type=...)"
    step("Project.train", project.train, own=("argument of type 'NoneType'", names_no_type))
    loaded = step("Version.model", lambda: project.version(1).model, check=lambda one: one is not None)
    if loaded:
        name = "ObjectDetectionModel"
        step(f"{name}.predict", lambda: loaded.predict(picture, confidence=5), check=lambda one: one is not None)
        load = lambda: loaded.load_model("acme/cells-object-detection", "1")
        step(f"{name}.load_model", load)
        start_video(day, "InferenceModel", loaded)
    base = InferenceModel(os.environ["ROBOFLOW_API_KEY"], "acme/cells-object-detection/1")
    base.api_url = os.environ["OBJECT_DETECTION_URL"] + "/cells-object-detection/1"
    seen = lambda: base.predict(picture, prediction_type="ObjectDetectionModel", confidence=5)
    step("InferenceModel.predict", seen, check=lambda one: len(one.predictions) > 0)
    step("InferenceModel.download", lambda: base.download(location=str(day["folder"])))
    outlines = InstanceSegmentationModel(os.environ["ROBOFLOW_API_KEY"], "acme/cells-instance-segmentation/1")
    refused = "404 Client Error"
    step("InstanceSegmentationModel.predict", lambda: outlines.predict(picture), refused=refused)
    older = [model for model in project.version(1).models() if model.model_id != "cells-object-detection/1"]
    if older:
        at_all = lambda: older[-1].predict(picture, confidence=5)
        step("TrainedModel.predict", at_all, "of an older training", lambda one: len(one.predictions) > 0)


def start_video(day, name, model):
    """Starts two jobs, whose results the end of the day reads: a status may be asked for once a minute."""
    for looks in ["poll_for_video_results", "poll_until_video_results"]:
        start = lambda: model.predict_video(str(day["clip"]), fps=1)
        job = step(f"{name}.predict_video", start, check=lambda one: one[2] == "3600")
        if job:
            day["videos"].append((f"{name}.{looks}", getattr(model, looks), job[0]))


def video_results(day):
    for name, looks, job in day["videos"]:
        step(name, lambda: looks(job), check=lambda one: len(one["frame_offset"]) > 0)


def until_ended(training):
    return until(training, lambda: training.status not in ("queued", "running", "stopping"))


def until(training, holds):
    for _ in range(240):
        training.refresh()
        if holds():
            break
        time.sleep(0.5)
    return training


# Vision events.


def event(use_case, **more):
    return {
        "eventId": str(uuid.uuid4()),
        "eventType": "quality_check",
        "useCaseId": use_case,
        "timestamp": datetime.now(timezone.utc).isoformat(),
        "eventData": {"result": "pass"},
        "customMetadata": {"line": 2},
        **more,
    }


def events(day):
    ws = day["ws"]
    made = step("Workspace.create_vision_event_use_case", lambda: ws.create_vision_event_use_case("cells"))
    case = made["id"] if made else "cells"
    send = lambda: ws.upload_vision_event_image(str(day["pictures"][0]), metadata={"line": 2})
    image = step("Workspace.upload_vision_event_image", send, check=lambda one: one["sourceId"])
    images = {"images": [{"sourceId": image["sourceId"]}]} if image else {}
    write = lambda: ws.write_vision_event(event(case, **images))
    step("Workspace.write_vision_event", write, check=lambda one: one["created"] is True)
    batch = lambda: ws.write_vision_events_batch([event(case) for _ in range(5)])
    step("Workspace.write_vision_events_batch", batch, check=lambda one: one["created"] == 5)
    query = lambda: ws.query_vision_events(case, event_type="quality_check", limit=2)
    step("Workspace.query_vision_events", query, check=lambda one: len(one["events"]) == 2 and one["hasMore"])
    pages = lambda: ws.query_all_vision_events(case, limit=4)
    step("Workspace.query_all_vision_events", pages, check=lambda one: [len(page) for page in one] == [4, 2])
    cases = ws.list_vision_event_use_cases
    step("Workspace.list_vision_event_use_cases", cases, check=lambda one: len(one["useCases"]) == 1)
    rename = lambda: ws.rename_vision_event_use_case(case, "blood cells")
    step("Workspace.rename_vision_event_use_case", rename, check=lambda one: one["name"] == "blood cells")
    step("Workspace.archive_vision_event_use_case", lambda: ws.archive_vision_event_use_case(case))
    step("Workspace.unarchive_vision_event_use_case", lambda: ws.unarchive_vision_event_use_case(case))
    schema = lambda: ws.get_vision_event_metadata_schema(case)
    step("Workspace.get_vision_event_metadata_schema", schema, check=lambda one: "line" in one["fields"])


# The trash.


def last(day, projects):
    ws, project = day["ws"], projects["object-detection"]
    version = project.version(1)
    step("Version.delete", version.delete, check=lambda one: one["deleted"])
    in_trash = lambda one: len(one["sections"]["versions"]) == 1
    step("Workspace.trash", ws.trash, check=in_trash)
    step("Version.restore", version.restore, check=lambda one: one["restored"])
    project = projects["classification"]
    step("Project.delete", project.delete, check=lambda one: one["deleted"])
    step("Project.restore", project.restore, check=lambda one: one["restored"])
    project.delete()
    item = next(iter(ws.trash()["sections"]["projects"]), {"id": "none"})
    back = lambda: ws.restore_from_trash("project", item["id"])
    step("Workspace.restore_from_trash", back, check=lambda one: one["restored"])


# The command line.


def commands(day):
    picture = str(day["pictures"][0])
    command("auth login", "--api-key", os.environ["ROBOFLOW_API_KEY"], check=lambda one: one["status"] == "logged_in")
    command("auth status", check=lambda one: one["url"] == "acme")
    command("login", "--api-key", os.environ["ROBOFLOW_API_KEY"])
    command("auth set-workspace", "acme")
    command("whoami", check=lambda one: one["url"] == "acme")
    command("workspace list")
    command("workspace get", "acme")
    command("workspace usage")
    command("workspace plan")
    command("workspace stats", "--start-date", "2026-01-01", "--end-date", "2026-12-31")
    for shell in ["bash", "zsh", "fish"]:
        command(f"completion {shell}", json_output=False)
    for kind, type in KINDS.items():
        command("project create", f"line {kind}", "--type", type, "--annotation", "cells", kind=kind)
        name = f"line-{kind}"
        words = [] if kind == "classification" else ["-a", annotation_of(day, kind)(day["pictures"][0])]
        command("image upload", picture, "-p", name, *words, "-t", "seen", "-b", "noon", kind=kind)
        command("image upload", str(day["folder"] / f"bulk-{kind}"), "-p", name, kind=f"{kind}, folder")
        command("project health", name, kind=kind, check=lambda one: one["health"])
        settings = day["folder"] / "settings.json"
        settings.write_text(json.dumps(SETTINGS))
        command("version create", "-p", name, "--settings", str(settings), kind=kind)
        place = str(day["folder"] / f"got-{kind}")
        format = FORMATS[kind][0]
        command("version download", f"acme/{name}/1", "-f", format, "-l", place, kind=f"{kind}, {format}")
    command("project list", check=lambda one: len(one) >= 6)
    command("project get", "line-object-detection")


def images_by_command(day):
    picture = str(day["pictures"][0])
    project = "line-object-detection"
    found = command("image search", "*", "--limit", "3", check=lambda one: len(one["results"]) == 3)
    first = day["ws"].project(project).search(tag="seen")[0]["id"]
    command("image get", first, "-p", project, check=lambda one: one)
    command("image metadata", first, "-m", json.dumps({"line": 4}), "--tags", "mended")
    command("image tag", first, "--tags", "again")
    annotation = annotation_of(day, "object-detection")(day["pictures"][0])
    lone = day["ws"].project(project).upload_image(project_picture(None))[0]["id"]
    command("image annotate", first, "-p", project, "--annotation-file", annotation)
    command("image delete", lone, "-p", project, check=lambda one: one == {"deleted": 0, "skipped": 1})
    command("search", "tag:seen", check=lambda one: one["total"] >= 1)
    place = str(day["folder"] / "command-found")
    command("search-export", "tag:seen", "-f", "coco", "-l", place, "-d", project)
    command("upload", picture, "-p", project, "-t", "again")
    command("import", str(day["folder"] / "bulk-object-detection"), "-p", project)
    command("annotation batch list", "-p", project)
    free = day["ws"].project(project).upload_image(project_picture(None), batch_name="free")
    batches = day["ws"].project(project).get_batches()["batches"]
    batch = next(one["id"] for one in batches if one["name"] == "free")
    command("annotation batch get", batch, "-p", project)
    words = ["--name", "noon", "--batch", batch, "--num-images", 1, "--labeler", MAIL, "--reviewer", MAIL]
    job = command("annotation job create", "-p", project, *words)
    command("annotation job list", "-p", project)
    if job:
        command("annotation job get", job["id"], "-p", project)


def versions_by_command(day):
    picture = str(day["pictures"][0])
    project = "cells-object-detection"
    command("version list", "-p", project)
    command("version get", "1", "-p", project)
    command("version export", "1", "-p", project, "-f", "coco")
    command("download", f"acme/{project}/1", "-f", "voc", "-l", str(day["folder"] / "old-download"))
    command("get_workspace_info", "-p", project, "-v", 1, json_output=False)
    command("model list", "-p", project)
    command("model get", f"{project}/1")
    command("model star", "acme/none")
    command("model infer", picture, "-m", f"acme/{project}/1", "-c", "0.05", check=lambda one: len(one) > 0)
    command("infer", picture, "-m", f"acme/{project}/1", "-c", "0.05")
    command("train recipe", "-p", project, "-v", 1, "-m", "fovea-example")
    command("train start", "-p", project, "-v", 1, "-t", "fovea-example", "--epochs", 300)
    command("train results", f"acme/{project}/1", refused="Version 1 has . trainings")
    command("train stop", f"acme/{project}/1")
    command("train cancel", f"acme/{project}/1")
    job = command("video infer", "-p", project, "-v", 1, "-f", str(day["clip"]))
    command("run_video_inference_api", "-p", project, "-v", 1, "-f", str(day["clip"]), json_output=False)
    command("video status", (job or {}).get("job_id", "none"), check=lambda one: one["status"] in (0, 1))


def workspace_by_command(day):
    made = command("folder create", "line 2")
    if made:
        command("folder get", made["id"])
        command("folder add-projects", made["id"], "line-classification")
        command("folder remove-projects", made["id"], "line-classification")
        command("folder update", made["id"], "--name", "line 3")
        command("folder delete", made["id"])
    command("folder list")
    keys = command("api-key list")
    made = command("api-key create", "camera", "--scope", "image:read")
    key = (made or {}).get("keyId", "none")
    command("api-key get", key)
    command("api-key publishable")
    command("api-key update", key, "--name", "camera 2")
    command("api-key disable", key)
    command("api-key revoke", key, "--yes")
    made = command("api-key create", "kept", "--no-scopes")
    command("api-key protect", (made or {}).get("keyId", "none"))
    definition = day["folder"] / "workflow.json"
    definition.write_text(json.dumps({"version": "1.0", "inputs": [], "steps": [], "outputs": []}))
    command("workflow create", "--name", "Sort cells", "--definition", str(definition))
    command("workflow list", check=lambda one: len(one) == 2)
    command("workflow get", "sort-cells", check=lambda one: one["workflow"]["name"] == "Sort cells")
    command("workflow update", "sort-cells", "--definition", str(definition))
    command("workflow version list", "sort-cells")
    command("workflow fork", "acme/sort-cells", check=lambda one: one["new_url"] == "sort-cells-2")
    for name in ["workflow build", "workflow run", "workflow deploy"]:
        command(name, "sort-cells", refused="not yet implemented")
    command("workflow delete", "sort-cells", "--yes", check=lambda one: one["deleted"])
    command("workflow restore", "sort-cells", check=lambda one: one["restored"])
    command("trash list")
    command("universe search", "cells")
    fork = command("project fork", os.environ["API_URL"] + "/acme/cells-object-detection", "--no-wait")
    task = (fork or {}).get("taskId", "none")
    command("asynctasks get", task)
    command("asynctasks wait", task)
    command("batch create", "--workflow", "w", "--input", "i", refused="not yet implemented")
    for name in ["batch status", "batch results"]:
        command(name, "none", refused="not yet implemented")
    command("batch list", refused="not yet implemented")
    for name in ["list", "get", "map-results", "confidence-sweep", "performance-by-class", "confusion-matrix",
                 "vector-analysis", "image-predictions", "recommendations"]:
        command(f"eval {name}", *([] if name == "list" else ["none"]))
    for name, words in {"list": [], "get": ["d"], "create": ["d"], "config": ["d"], "config-history": ["d"],
                        "streams": ["d"], "stream": ["d", "s"], "logs": ["d"], "telemetry": ["d"],
                        "events": ["d"]}.items():
        command(f"device {name}", *words)
    deployments()


def deployments():
    at = ["-f", "2026-01-01 00:00:00", "-t", "2026-02-01 00:00:00"]
    make = ["-m", "gpu", "-e", MAIL]
    calls = {"machine-type": [], "create": ["one", *make], "get": ["one"], "list": [], "usage": [],
             "pause": ["one"], "resume": ["one"], "delete": ["one"], "log": ["one"], "machine_type": [],
             "add": ["one", *make], "usage_workspace": at, "usage_deployment": ["one", *at]}
    for name, words in calls.items():
        command(f"deployment {name}", *words)


def events_by_command(day):
    picture = str(day["pictures"][0])
    made = command("vision-events create-use-case", "line 2")
    case = (made or {}).get("id", "line 2")
    command("vision-events write", json.dumps(event(case)))
    command("vision-events write-batch", json.dumps([event(case), event(case)]))
    command("vision-events query", case, "-l", 2, check=lambda one: len(one["events"]) == 2)
    command("vision-events use-cases")
    command("vision-events rename-use-case", case, "-n", "line 3")
    command("vision-events archive-use-case", case)
    command("vision-events unarchive-use-case", case)
    command("vision-events metadata-schema", case)
    command("vision-events upload-image", picture)


def command_ends(day):
    command("version delete", "acme/cells-object-detection/1", "--yes")
    command("version restore", "acme/cells-object-detection/1")
    command("project delete", "line-classification", "--yes")
    command("project restore", "line-classification")
    command("auth logout")


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[4]))
    account_for_all()
