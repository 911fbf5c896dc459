"""
What the example sees of an image: how light, how red, green and blue it is around each cell of a
grid, and how much that changes there. The ONNX graph (graph.py) computes the same.
"""

import numpy

# The canvas is square; both in pixels.
SIDE = 320
STRIDE = 16
# Cells in a row of the grid.
GRID = SIDE // STRIDE
CELLS = GRID * GRID
# Pixels of the canvas that are averaged first, each way.
GRAIN = 4
GRAINS = SIDE // GRAIN
GRAINS_PER_CELL = STRIDE // GRAIN
# Windows around a cell, in grains: the cell itself, its neighbours, and what lies around.
WINDOWS = (4, 12, 28)
# Mean and spread of three colours, for each window.
CHANNELS = len(WINDOWS) * 6
# Keeps the spread of a plain colour away from zero, where it has no slope.
LEAST_SPREAD = 1e-4


def margin_of(window):
    """How far a window reaches beyond its cell, in grains."""
    return (window - GRAINS_PER_CELL) // 2


def feature_maps(pixels):
    """From bytes [SIDE, SIDE, 3] to [CHANNELS, GRID, GRID]; beyond the canvas nothing counts."""
    grains = pixels.reshape(GRAINS, GRAIN, GRAINS, GRAIN, 3).mean((1, 3), dtype=numpy.float64) / 255
    sums, squares = sum_table(grains), sum_table(grains * grains)
    maps = []
    for window in WINDOWS:
        first = numpy.arange(GRID) * GRAINS_PER_CELL - margin_of(window)
        start, end = first.clip(0), (first + window).clip(max=GRAINS)
        count = numpy.outer(end - start, end - start)[..., None]
        mean = inside(sums, start, end) / count
        variance = (inside(squares, start, end) / count - mean * mean).clip(0)
        maps += [mean, numpy.sqrt(variance + LEAST_SPREAD)]
    return numpy.concatenate(maps, 2).transpose(2, 0, 1).astype(numpy.float32)


def sum_table(values):
    """Sums of all that lies above and to the left: a window is four of them."""
    table = numpy.zeros((GRAINS + 1, GRAINS + 1, 3))
    table[1:, 1:] = values.cumsum(0).cumsum(1)
    return table


def inside(table, start, end):
    at = lambda rows, columns: table[numpy.ix_(rows, columns)]
    return at(end, end) - at(start, end) - at(end, start) + at(start, start)
