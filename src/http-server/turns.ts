// Turns for what takes much memory: so many at a time, the others wait in the order they came.

export interface Turns {
  /** Does the work when its turn comes. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return {
    take: async (work) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
