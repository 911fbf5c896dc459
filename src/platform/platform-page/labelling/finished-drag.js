// A drag ends in the view in which it began, also where another view is ready.

/** A drag ends with a pointer that is let go, or was lost. */
const heldMsMax = 60_000;
const heldCheckMs = 50;

/**
 * What is dragged in a view is finished there: words or pictures above it would move it too.
 * @param {Pick<import('../types.ts').View, 'isHeld'> | undefined} view
 */
export async function untilReleased(view) {
  for (let waited = 0; view?.isHeld?.() && waited < heldMsMax; waited += heldCheckMs) {
    await new Promise((resolve) => setTimeout(resolve, heldCheckMs));
  }
}
