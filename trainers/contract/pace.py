"""How long a training will take, from its first steps."""

import time

# The first steps are slower than the rest: memory is taken, kernels are chosen.
STEPS_TO_WARM_UP = 2
STEPS_TO_TIME = 6
# Forward and backward take about three times as long as forward alone.
PASSES_OF_A_STEP = 3


class Pace:
    def __init__(self):
        self.times = []
        self.is_told = False

    def step(self, steps, train, valid):
        """
        Called when each step begins; once, the seconds of an epoch. `steps` in an epoch; images in
        the splits `train` and `valid`.
        """
        if self.is_told:
            return None
        self.times.append(time.monotonic())
        wanted = min(STEPS_TO_WARM_UP + STEPS_TO_TIME, steps - 1)
        if len(self.times) <= wanted or wanted < 1:
            return None
        self.is_told = True
        warm = self.times[min(STEPS_TO_WARM_UP, wanted - 1) :]
        seconds = (warm[-1] - warm[0]) / (len(warm) - 1)
        return seconds * steps * (1 + valid / PASSES_OF_A_STEP / max(1, train))
