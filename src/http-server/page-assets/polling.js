// Looks for news every two seconds, while somebody looks at the page, and as soon as the network is
// lost or back.

/** The gap between two looks, and the longest one while the service does not answer. */
const gapMs = 2_000;
const gapMsMax = 30_000;

/**
 * @param {() => Promise<void>} look
 * @param {(state: 'live' | 'paused' | 'lost', thrown?: unknown) => void} tell
 * @returns {() => void} looks now
 */
export function startPolling(look, tell) {
  let failures = 0;
  /** @type {number | undefined} */
  let timer;
  let isLooking = false;

  const run = async () => {
    timer = undefined;
    if (document.hidden || isLooking) return;
    isLooking = true;
    try {
      await look();
      failures = 0;
      tell('live');
    } catch (thrown) {
      failures += 1;
      tell('lost', thrown);
    }
    isLooking = false;
    if (!document.hidden) {
      timer = window.setTimeout(run, Math.min(gapMsMax, gapMs * 2 ** Math.min(failures, 5)));
    }
  };

  const lookNow = () => {
    window.clearTimeout(timer);
    run();
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) tell('paused');
    lookNow();
  });
  for (const name of ['online', 'offline']) window.addEventListener(name, lookNow);
  run();
  return lookNow;
}
