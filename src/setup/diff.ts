// What a change does to a file, for people to read before they allow it.

import { createTwoFilesPatch } from 'diff';

/** A unified diff with two lines around each change; values that look like secrets are left out. */
export function showDiff(path: string, before: string | undefined, after: string | undefined) {
  const patch = createTwoFilesPatch(
    before === undefined ? '/dev/null' : path,
    after === undefined ? '/dev/null' : path,
    ...([before ?? '', after ?? '', '', ''] as const),
    { context: 2 },
  );
  return patch
    .split('\n')
    .filter((line) => !/^(=+|Index: .*)$/.test(line))
    .map((line) => hidden(line.replace(/\t?\r?$/, '')))
    .join('\n');
}

/** The settings of other servers stand beside ours, with their keys. */
function hidden(line: string): string {
  return line
    .replace(/((?:key|token|secret|passw|auth|bearer|credential)[^:=]{0,40}[:=]\s*)\S.*/i, '$1…')
    .replace(/\b(sk|pk|ghp|gho|xox[abp]|rf|eyJ)[-_][\w.-]{8,}/g, '…');
}
