// Progress in steps.

/** Reports a hundred times at most: each report is a commit on the disk. */
export function inSteps(report: (done: number, total: number) => void) {
  return ({ done, total }: { readonly done: number; readonly total: number }) => {
    if (done === total || done % Math.ceil(total / 100) === 0) report(done, total);
  };
}
