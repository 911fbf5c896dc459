// Keys that a process has of its own, in words: the web page and the platform say the same.

/** By the names of their credentials. @type {ReadonlyMap<string, string>} */
export const processKeyWords = new Map([
  ['environment', "the platform's own key"],
  // The page that `fovea open` shows: a person, and not the agent of that process.
  ['page', 'the page of fovea open'],
]);
