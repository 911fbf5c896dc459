// Lengths of runs as characters, as pycocotools writes them: a third of what numbers take.

/** `counts`: pixels outside and inside in turns, column by column, from the first pixel. */
export function compressedCounts(counts: readonly number[]): string {
  const codes: number[] = [];
  for (const [place, count] of counts.entries()) {
    let left = count - (place > 2 ? (counts[place - 2] ?? 0) : 0);
    for (let isMore = true; isMore; ) {
      const unit = left & 0x1f;
      left >>= 5;
      isMore = (unit & 0x10) === 0 ? left !== 0 : left !== -1;
      codes.push((isMore ? unit | 0x20 : unit) + 48);
    }
  }
  return Buffer.from(codes).toString('latin1');
}
