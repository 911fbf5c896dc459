"""Imports a labelled folder as a careful script does: Pillow, hashes, synced copies, SQLite.

python3 peer.py IMAGES ANNOTATIONS OUT
"""

import hashlib
import os
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from xml.etree import ElementTree

from PIL import Image

IMAGES, ANNOTATIONS, OUT = sys.argv[1:4]
BATCH = 32


def sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def take(name):
    with open(os.path.join(IMAGES, name), "rb") as file:
        content = file.read()
    with Image.open(BytesIO(content)) as image:
        size = image.size
    digest = hashlib.sha256(content).hexdigest()
    folder = os.path.join(OUT, digest[:2])
    os.makedirs(folder, exist_ok=True)
    draft = os.path.join(OUT, digest + ".draft")
    with open(draft, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, os.path.join(folder, digest))
    sync_folder(folder)
    path = os.path.join(ANNOTATIONS, name.rsplit(".", 1)[0] + ".xml")
    boxes = [
        (found.findtext("name"), *(found.findtext("bndbox/" + side) for side in SIDES))
        for found in ElementTree.parse(path).iter("object")
    ]
    return name, digest, size, boxes


SIDES = ("xmin", "ymin", "xmax", "ymax")

os.makedirs(OUT)
database = sqlite3.connect(os.path.join(OUT, "rows.db"))
database.executescript(
    """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE images (id INTEGER PRIMARY KEY, name TEXT, hash TEXT UNIQUE, width INT, height INT);
    CREATE TABLE boxes (image INT, label TEXT, xmin REAL, ymin REAL, xmax REAL, ymax REAL);
    CREATE INDEX boxes_label ON boxes (label);
    CREATE INDEX images_name ON images (name);
    """
)
names = sorted(os.listdir(IMAGES))
with ThreadPoolExecutor(16) as pool:
    for start in range(0, len(names), BATCH):
        for name, digest, (width, height), boxes in pool.map(take, names[start : start + BATCH]):
            row = (name, digest, width, height)
            insert = "INSERT INTO images (name, hash, width, height) VALUES (?, ?, ?, ?)"
            image = database.execute(insert, row).lastrowid
            rows = [(image, *box) for box in boxes]
            database.executemany("INSERT INTO boxes VALUES (?, ?, ?, ?, ?, ?)", rows)
        database.commit()
count = database.execute("SELECT (SELECT count(*) FROM images), count(*) FROM boxes").fetchone()
print(f"{count[0]} {count[1]}")
