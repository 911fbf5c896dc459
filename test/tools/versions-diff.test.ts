// versions_diff of versions that are not there yet.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
});

afterEach(() => fixture.close());

const none = { count: 0, images: [] };
const outline = { images: 3, splits: { train: 3, valid: 0, test: 0 }, classes: [] };

function compare(states: readonly (string | undefined)[]) {
  const [from, to] = states.map((state, place) => ({ ...outline, version: place + 1, state }));
  const images = { unchanged: 3, added: none, removed: none, moved: none, relabelled: none };
  fixture.on('GET /acme/cells/version-diff', () => ({
    json: { from, to, settings: [], ...images },
  }));
  const args = { workspace: 'acme', project: 'cells', from: 1, to: 2 };
  return fixture.call('versions_diff', args);
}

it('says that a version is still being made, and how to wait for it', async () => {
  const { summary, next } = await compare([undefined, 'generating']);
  expect(summary).toBe(
    'From version 1 to 2: 0 settings changed; source images: 0 added, 0 removed, 0 moved, ' +
      '0 relabelled, 3 as before. Version 2 is still being made: its own images and counts are ' +
      'not there yet.',
  );
  const arguments_ = { workspace: 'acme', project: 'cells', version: 2 };
  expect(next).toMatchObject([{ tool: 'tasks_wait', arguments: arguments_ }]);
});

it('says that a version has failed', async () => {
  const { summary, next } = await compare(['failed', undefined]);
  expect(summary).toContain('Version 1 has failed, and has no images of its own.');
  expect(next).toBeUndefined();
});
