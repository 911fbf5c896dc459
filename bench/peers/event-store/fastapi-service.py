"""An Event Store in a few lines: FastAPI and SQLite, one durable commit for each request."""

import base64
import os
import shutil
import sqlite3
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional

from fastapi import FastAPI, HTTPException, Request, UploadFile
from pydantic import BaseModel, Field

folder = os.environ["DATA"]
app = FastAPI()


class Detection(BaseModel):
    class_: str = Field(alias="class")
    x: float
    y: float
    width: float
    height: float
    confidence: float


class Image(BaseModel):
    label: Optional[str]
    base64Image: Optional[str]
    objectDetections: List[Detection] = []


class Event(BaseModel):
    event_schema: str
    event_data: Dict[str, Any]
    inference_timestamp: datetime
    solution: Optional[str]
    workflow_id: Optional[str]
    device_id: Optional[str]
    stream_id: Optional[str]
    custom_metadata: Optional[Dict[str, Any]]
    images: List[Image] = []
    displayImagePosition: Optional[int]
    draft: bool = False


def connect() -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{folder}/events.db", isolation_level=None, check_same_thread=False
    )
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    assert database.execute("PRAGMA synchronous").fetchone() == (2,)
    database.execute(
        "CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, "
        "created_at TEXT, device_id TEXT, event_schema TEXT, workflow_id TEXT, "
        "external_id TEXT, related_event_id TEXT, draft INTEGER, body TEXT)"
    )
    for column in indexed:
        database.execute(f"CREATE INDEX IF NOT EXISTS by_{column} ON events ({column})")
    return database


indexed = ["device_id", "event_schema", "workflow_id", "external_id", "related_event_id"]
database = connect()


@app.get("/health")
async def health():
    return {"status": "ok"}


@app.post("/v2/events", status_code=201)
async def create(event: Event, request: Request):
    image_ids = [save(image) for image in event.images if image.base64Image]
    body = event.json(by_alias=True) if image_ids else await request.body()
    event_id = str(uuid.uuid4())
    created_at = datetime.now(timezone.utc).isoformat()
    database.execute(
        "INSERT INTO events (id, created_at, device_id, event_schema, workflow_id, external_id, "
        "related_event_id, draft, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event_id,
            created_at,
            event.device_id,
            event.event_schema,
            event.workflow_id,
            event.event_data.get("externalId"),
            event.event_data.get("relatedEventId"),
            event.draft,
            body,
        ),
    )
    return {
        "id": event_id,
        "image_ids": image_ids,
        "created_at": created_at,
        "draft": event.draft,
        "message": "Event stored.",
    }


@app.post("/v2/events/{event_id}/videos", status_code=201)
def attach(event_id: str, file: UploadFile):
    row = database.execute("SELECT draft FROM events WHERE id = ?", (event_id,)).fetchone()
    if row != (1,):
        raise HTTPException(409, "The event is finalized.")
    file_id = keep(lambda target: shutil.copyfileobj(file.file, target, 1024 * 1024))
    return {"file_id": file_id, "event_id": event_id, "size_bytes": file.file.tell()}


def save(image: Image) -> str:
    content = base64.b64decode(image.base64Image, validate=True)
    image.base64Image = None
    return keep(lambda target: target.write(content))


def keep(write) -> str:
    """A file that is on the disk, under its name, when this returns."""
    file_id = str(uuid.uuid4())
    path = f"{folder}/{file_id}"
    with open(f"{path}.part", "wb") as target:
        write(target)
        target.flush()
        os.fsync(target.fileno())
    os.rename(f"{path}.part", path)
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    return file_id
