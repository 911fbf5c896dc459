// One sync of a folder for all who wait for it.

/**
 * Callers that wait for the same folder share one sync, which begins after the last of them asked;
 * what is running already may have missed their entries. All of them get its error.
 */
export function createSharedSync(
  sync: (folder: string) => Promise<void>,
): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const begin = async (folder: string) => {
    await running.get(folder)?.catch(() => {});
    next.delete(folder);
    const work = sync(folder);
    running.set(folder, work);
    try {
      await work;
    } finally {
      if (running.get(folder) === work) running.delete(folder);
    }
  };
  return (folder) => {
    const waiting = next.get(folder) ?? begin(folder);
    next.set(folder, waiting);
    return waiting;
  };
}
