// Calls that cannot be undone, where the service does not show their target: the person is asked
// about the name in the call, and then the deed is done.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noElicitation } from '../../src/mcp/elicitation/host-elicitation.ts';
import type { Elicitation } from '../../src/mcp/tool.ts';
import { forPeople } from '../../src/mcp/untrusted-text.ts';
import { type Fixture, openScriptedService, type Reply } from './scripted-service.ts';

let fixture: Fixture;
let asked: string[];
let elicitation: Elicitation;

beforeEach(async () => {
  fixture = await openScriptedService({ baseUrl: 'https://api.example.com' });
  asked = [];
  elicitation = {
    ...noElicitation,
    canConfirm: true,
    confirm: async (_call, readPrompt) => {
      asked.push(forPeople((await readPrompt()).message));
    },
  };
});

afterEach(async () => {
  await fixture.close();
});

const answers: readonly (readonly [string, Reply])[] = [
  ['400', { status: 400, json: { error: 'no such parameter' } }],
  ['500', { status: 500, json: { error: 'oops' } }],
  ['another shape', { json: { folders: 'none', apiKey: 7, trainings: {} } }],
  ['403', { status: 403, json: { error: 'no' } }],
  ['405', { status: 405, json: { error: 'no' } }],
];

const training = { project: 'cells', version: 3 };
const deeds = [
  {
    tool: 'folders_delete',
    args: { folderId: 'f1' },
    looked: 'GET /acme/groups',
    done: 'DELETE /acme/groups/f1',
    question: 'Delete the folder "f1"? Its projects stay. This cannot be undone.',
  },
  {
    tool: 'api_keys_revoke',
    args: { keyId: 'k1' },
    looked: 'GET /acme/api-keys/k1',
    done: 'DELETE /acme/api-keys/k1',
    question: 'Revoke the API key "k1"? Whatever uses it stops working. This cannot be undone.',
  },
  {
    tool: 'trainings_cancel',
    args: training,
    looked: 'GET /acme/cells/3/v2/trainings',
    done: 'POST /acme/cells/3/v2/trainings/cancel',
    question: 'Cancel the training of version 3 of "cells"? This cannot be undone.',
  },
  {
    tool: 'trainings_stop',
    args: training,
    looked: 'GET /acme/cells/3/v2/trainings',
    done: 'POST /acme/cells/3/v2/trainings/stop',
    question: 'Stop the training of version 3 of "cells"? This cannot be undone.',
  },
];

describe.each(answers)('a service that answers %s', (_what, answer) => {
  it.each(deeds)('$tool is asked about by name, and done', async (deed) => {
    fixture.on(deed.looked, () => answer);
    fixture.on(deed.done, () => ({ json: {} }));
    await fixture.call(deed.tool, { workspace: 'acme', ...deed.args }, { elicitation });
    expect(asked).toEqual([deed.question]);
    expect(fixture.requests.at(-1)).toMatchObject({ path: deed.done.split(' ')[1] });
  });
});

it('a target that is missing is told before anybody is asked', async () => {
  const args = { workspace: 'acme', keyId: 'k1' };
  const error = await fixture.refused('api_keys_revoke', args, { elicitation });
  expect(error.code).toBe('not_found');
  expect(asked).toEqual([]);
});
