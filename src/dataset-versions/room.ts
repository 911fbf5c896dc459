// Memory that jobs share: a job waits until there is room for its pixels.

export interface Room {
  /**
   * Resolves when so many pixels fit beside those that are in work, first come, first served; more
   * than fit at all go alone. What it gives ends the stay. Throws the reason of the signal.
   */
  enter(pixels: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly pixels: number;
  readonly admit: () => void;
}

/** Room for so many pixels. */
export function createRoom(pixelsMax: number): Room {
  const queue: Waiting[] = [];
  let inside = 0;
  let taken = 0;

  function admitNext(): void {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      if (inside > 0 && taken + next.pixels > pixelsMax) return;
      queue.shift();
      inside++;
      taken += next.pixels;
      next.admit();
    }
  }

  return {
    enter: async (pixels, signal) => {
      signal.throwIfAborted();
      const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
      const waiting: Waiting = { pixels, admit };
      const onAbort = () => {
        const place = queue.indexOf(waiting);
        if (place < 0) return;
        queue.splice(place, 1);
        reject(signal.reason);
        admitNext();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.push(waiting);
      admitNext();
      await promise.finally(() => signal.removeEventListener('abort', onAbort));
      return () => {
        inside--;
        taken -= pixels;
        admitNext();
      };
    },
  };
}
