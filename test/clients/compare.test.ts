// How the end states of two days are compared: see scripts/clients.ts.

import { expect, test } from 'vitest';
import { compareStates, describeRow, summarize } from '../../scripts/clients/compare.ts';

const image = 'project cells, image a.jpg';

test('rows are the same, differ, or are left by one of the two alone', () => {
  const client = new Map([
    [`${image}: split`, 'train'],
    [`${image}: labels`, '["RBC","WBC"]'],
    [`${image}: batch`, 'morning'],
  ]);
  const tools = new Map([
    [`${image}: split`, 'train'],
    [`${image}: labels`, '["RBC"]'],
    [`${image}: tags`, '["seen"]'],
  ]);
  const compared = compareStates(client, tools);
  expect(compared.rows.map(describeRow)).toEqual([
    'only by the client  project cells, image a.jpg: batch: morning',
    'differs  project cells, image a.jpg: labels: ["RBC","WBC"] / ["RBC"]',
    'same     project cells, image a.jpg: split',
    'only by tools       project cells, image a.jpg: tags: ["seen"]',
  ]);
  expect(compared.faults).toHaveLength(3);
});

test('a difference with a reason is no fault, and a reason that no row needs is named', () => {
  const client = new Map([[`${image}: sequence_number`, '3']]);
  const compared = compareStates(client, new Map());
  expect(compared.faults).toEqual([]);
  expect(compared.rows.map(describeRow)).toEqual([
    'only by the client  project cells, image a.jpg: sequence_number: 3 (The client numbers the images of a folder; a zip file has no such numbers.)',
  ]);
  expect(compared.stale.map(({ reason }) => reason)).toContain('No tool makes workflows.');
  expect(summarize(compared)).toMatch(
    /^1 rows: 0 same, 1 differ for a reason, 0 differ without one/,
  );
});
