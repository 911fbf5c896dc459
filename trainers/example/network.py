"""The network: two layers over the features of a cell and its neighbours, and how it learns."""

import numpy

from cells import BOX_NUMBERS, sigmoid
from features import CELLS, CHANNELS, GRID

# A cell and its eight neighbours.
REACH = 3
INPUTS = CHANNELS * REACH * REACH
HIDDEN = 48
# Nearly all cells are background: starting from that saves many epochs.
RARE_SHARE = 0.02
# Cells that are predicted well count little (focal loss, Lin and others, 2017).
FOCUS = 2
WEIGHT_DECAY = 0.01


class Network:
    """`values`: what is learned, by the names that it has in the ONNX file."""

    def __init__(self, classes, seed):
        chance = numpy.random.default_rng(seed)
        # Uniform numbers of the spread that keeps a signal as large as it is (He and others, 2015).
        uniform = lambda shape, inputs: (
            chance.uniform(-1, 1, shape) * numpy.sqrt(6 / inputs)
        ).astype(numpy.float32)
        outputs = BOX_NUMBERS + classes
        bias = numpy.zeros(outputs, numpy.float32)
        bias[BOX_NUMBERS:] = numpy.log(RARE_SHARE / (1 - RARE_SHARE))
        self.values = {
            "first": uniform((HIDDEN, INPUTS), INPUTS),
            "first_bias": numpy.zeros(HIDDEN, numpy.float32),
            "second": uniform((outputs, HIDDEN), HIDDEN * 20),
            "second_bias": bias,
        }

    def outputs(self, patches):
        """What each cell says, [CELLS, 4 + classes], and the hidden layer that said it."""
        own = self.values
        hidden = (patches @ own["first"].T + own["first_bias"]).clip(0)
        return hidden @ own["second"].T + own["second_bias"], hidden

    def slopes(self, patches, targets):
        """The loss of an image, and how it follows each value. All is divided by the cells that
        have a box."""
        outputs, hidden = self.outputs(patches)
        cells, numbers, labels = targets
        scale = 1 / max(1, len(cells))
        wanted = numpy.zeros((CELLS, outputs.shape[1] - BOX_NUMBERS), bool)
        wanted[cells, labels] = True
        slope = numpy.zeros_like(outputs)
        loss, slope[:, BOX_NUMBERS:] = focal(outputs[:, BOX_NUMBERS:], wanted)
        errors = outputs[cells, :BOX_NUMBERS] - numbers
        slope[cells, :BOX_NUMBERS] = (errors * 4).clip(-1, 1)
        slope *= scale
        below = (slope @ self.values["second"]) * (hidden > 0)
        found = {
            "first": below.T @ patches,
            "first_bias": below.sum(0),
            "second": slope.T @ hidden,
            "second_bias": slope.sum(0),
        }
        return scale * float(loss + numpy.abs(errors).sum()), found


def focal(logits, wanted):
    """The loss of all scores, and its slope by each."""
    sign = numpy.where(wanted, 1, -1).astype(numpy.float32)
    right = sigmoid(sign * logits)
    log = numpy.log(right.clip(1e-7))
    wrong = 1 - right
    loss = -0.5 * (wrong**FOCUS * log).sum()
    return loss, sign * 0.5 * wrong**FOCUS * (FOCUS * right * log - wrong)


class Adam:
    """Kingma and Ba, 2015, with weights that decay on their own (Loshchilov and Hutter, 2019)."""

    def __init__(self, values):
        self.values = values
        self.steps = 0
        self.means = {name: numpy.zeros_like(one) for name, one in values.items()}
        self.squares = {name: numpy.zeros_like(one) for name, one in values.items()}

    def step(self, slopes, rate):
        self.steps += 1
        of_mean, of_square = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        for name, slope in slopes.items():
            mean, square, value = self.means[name], self.squares[name], self.values[name]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            change = mean / of_mean / (numpy.sqrt(square / of_square) + 1e-8)
            value -= numpy.float32(rate) * (change + WEIGHT_DECAY * value)


def patches_of(maps, across=False, down=False):
    """Each cell with its neighbours, [CELLS, INPUTS]; `across`, `down`: of a mirrored image."""
    maps = maps[:, :: -1 if down else 1, :: -1 if across else 1]
    padded = numpy.zeros((CHANNELS, GRID + 2, GRID + 2), numpy.float32)
    padded[:, 1:-1, 1:-1] = maps
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (REACH, REACH), (1, 2))
    return windows.transpose(1, 2, 0, 3, 4).reshape(CELLS, INPUTS)
