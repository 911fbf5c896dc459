// What the tests of evaluations share: a file of predictions, and an evaluation that has ended.

import { evaluations } from '../../src/contract/evaluations.ts';
import type { Labelling } from './platform-with-model.ts';

export function file(entries: unknown, name = 'results.json') {
  return { name, content: new TextEncoder().encode(JSON.stringify(entries)) };
}

export async function judged(fixture: Labelling, project: string, asked: object) {
  const { client } = fixture.platform;
  const at = { workspace: 'acme', project };
  const { body } = await client.call(evaluations.evaluations_create, { ...at, ...asked });
  const task = await fixture.ended(body.taskId);
  const panel = async (more: object = {}) => {
    const wanted = { ...at, evaluationId: body.evaluationId, ...more };
    return (await client.call(evaluations.evaluations_get, wanted)).body;
  };
  return { task, panel, at: { ...at, evaluationId: body.evaluationId } };
}
