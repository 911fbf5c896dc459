"""What one has to know to run a model: the metadata of its ONNX file."""

import json


def metadata(job, figures, author, preprocessing):
    return {
        "names": json.dumps(job.classes),
        "author": f"Fovea, with {author}",
        "modelType": job.model_type,
        "imgsz": json.dumps([job.image_size, job.image_size]),
        "preprocessing": preprocessing,
        "confidence": str(round(figures["confidence"], 4)),
    }
