// Work that shares something of which there is not enough for all at once: it waits for its turn.

interface Waiting {
  readonly share: number;
  readonly enter: () => void;
}

/** Does work of such a share when there is room for it: first come, first served. */
export type InTurn = <Value>(share: number, work: () => Promise<Value>) => Promise<Value>;

/** Shares of so much in all; work that wants more has all of it, alone. */
export function createTurns(sharesMax: number): InTurn {
  const queue: Waiting[] = [];
  let free = sharesMax;

  function admit(): void {
    for (let next = queue[0]; next !== undefined && next.share <= free; next = queue[0]) {
      queue.shift();
      free -= next.share;
      next.enter();
    }
  }

  return async (wanted, work) => {
    const share = Math.min(wanted, sharesMax);
    await new Promise<void>((enter) => {
      queue.push({ share, enter });
      admit();
    });
    try {
      return await work();
    } finally {
      free += share;
      admit();
    }
  };
}
