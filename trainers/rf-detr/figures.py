"""The figures of RF-DETR, by the names that Fovea has for them."""


def figures_of(log):
    """
    Of an epoch, as its callback has them: those of the weights or of their moving average, which
    ever are better. It keeps the same.
    """
    plain, mean = (figures_with(log, prefix) for prefix in ("test", "ema_test"))
    if mean is None or plain is None:
        return plain or mean or {}
    return mean if mean["map50_95"] > plain["map50_95"] else plain


def figures_with(log, prefix):
    scores = log.get(f"{prefix}_coco_eval_bbox")
    results = log.get(f"{prefix}_results_json")
    if scores is None or results is None:
        return None
    return {
        # -1 where there is nothing to find.
        "map50": max(0.0, float(scores[1])),
        "map50_95": max(0.0, float(scores[0])),
        "precision": float(results["precision"]),
        "recall": float(results["recall"]),
    }


def test_figures(results):
    """Of the file that it writes at the end; nothing where the test split was not judged."""
    for row in results.get("class_map", {}).get("test", []):
        if row["class"] == "all":
            return {
                "test_map50": max(0.0, float(row["map@50"])),
                "test_map50_95": max(0.0, float(row["map@50:95"])),
                "test_precision": float(row["precision"]),
                "test_recall": float(row["recall"]),
            }
    return {}
