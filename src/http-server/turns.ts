// Turns for what takes much memory: so many at a time, the others wait in the order they came.

/** The place of one in the queue: it waits only where it begins. */
export interface Turn {
  /** Resolves when its turn has come. */
  begin(): Promise<void>;
  /** Makes room for the next one; also for who never began, or still waits. */
  end(): void;
}

/** The turn of what takes little memory. */
export const noTurn: Turn = { begin: () => Promise.resolve(), end: () => {} };

export interface Turns {
  next(): Turn;
}

export function createTurns(atOnce: number): Turns {
  const waiting = new Set<() => void>();
  let free = atOnce;
  const leave = () => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };
  return {
    next: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let state: 'new' | 'waiting' | 'running' = 'new';
      const run = () => {
        waiting.delete(run);
        state = 'running';
        resolve();
      };
      return {
        begin: () => {
          if (state !== 'new') return promise;
          state = 'waiting';
          waiting.add(run);
          if (free > 0) {
            free -= 1;
            run();
          }
          return promise;
        },
        end: () => {
          waiting.delete(run);
          if (state === 'running') leave();
          state = 'waiting';
        },
      };
    },
  };
}
