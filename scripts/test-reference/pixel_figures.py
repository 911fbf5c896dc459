"""
Figures of semantic segmentation by their usual definitions, from histograms of labels as mmseg
counts them: what is neither labelled nor found has no IoU. Reads {classes, pairs} on standard
input: for each image the class of each pixel, labelled and found; 0 is the background.
"""

import json
import sys

import numpy

given = json.load(sys.stdin)
bins = given["classes"] + 1
both, labelled, found = (numpy.zeros(bins) for _ in range(3))
for truth, answer in given["pairs"]:
    truth, answer = numpy.array(truth), numpy.array(answer)
    both += numpy.bincount(truth[truth == answer], minlength=bins)
    labelled += numpy.bincount(truth, minlength=bins)
    found += numpy.bincount(answer, minlength=bins)
with numpy.errstate(invalid="ignore"):
    iou = both / (labelled + found - both)
    accuracy = both / labelled
print(
    json.dumps(
        {
            "pixelAccuracy": both.sum() / labelled.sum(),
            "meanIou": numpy.nanmean(iou),
            "meanAccuracy": numpy.nanmean(accuracy),
            "frequencyWeightedIou": numpy.nansum(labelled * iou) / labelled.sum(),
            "iou": [None if numpy.isnan(one) else one for one in iou],
        }
    )
)
