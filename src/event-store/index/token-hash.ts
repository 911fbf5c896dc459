// Tokens of the index are hashes: whatever a key or a value is, it costs the same, and no list of
// them has to be kept. Two that meet bring candidates that do not match, and those are looked at.

/** The state of a hash, between two words. */
export type HashState = readonly [first: number, second: number];

/** `salt`: of one index, so that nobody can make values that meet in it. */
export function beginHash(salt: number): HashState {
  return [0xdeadbeef ^ salt, 0x41c6ce57 ^ salt];
}

export function addText([first, second]: HashState, text: string): HashState {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    first = Math.imul(first ^ code, 2_654_435_761);
    second = Math.imul(second ^ code, 1_597_334_677);
  }
  return [first, second];
}

/** A whole number of at most 32 bits. */
export function addNumber([first, second]: HashState, value: number): HashState {
  return [Math.imul(first ^ value, 2_654_435_761), Math.imul(second ^ value, 1_597_334_677)];
}

/** Fifty bits, in letters and digits. */
export function tokenOf([first, second]: HashState): string {
  const one = Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second, 3_266_489_909);
  const two = Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(one, 3_266_489_909);
  const last = one ^ (one >>> 13) ^ Math.imul(two, 2_654_435_761);
  return (two >>> 7).toString(36) + (last >>> 7).toString(36);
}
