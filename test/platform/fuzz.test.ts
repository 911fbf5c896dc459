// Random requests made from the platform's own OpenAPI document: no 5xx, and every answer as the
// document says. FUZZ_RUNS=20000 makes a longer run, with a new seed each time.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createJudge, type FuzzAnswer } from './fuzz/check-answer.ts';
import { type Described, fetchDocument } from './fuzz/document.ts';
import { createWorld } from './fuzz/existing-resources.ts';
import { type Asker, type FuzzRequest, requestOf } from './fuzz/requests.ts';
import { createTestTokens } from './test-tokens.ts';

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const runs = FUZZ_RUNS === undefined ? 300 : Number(FUZZ_RUNS);
const seed =
  FUZZ_SEED === undefined
    ? FUZZ_RUNS === undefined
      ? 20_261_122
      : Math.floor(Math.random() * 2 ** 31)
    : Number(FUZZ_SEED);

/** So many requests are made with the ids that are known when they are made. */
const requestsPerWorld = 50;

const tokens = createTestTokens();
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ verifyAccessToken: tokens.verify });
});

afterAll(() => platform.close(), 60_000);

test(`${runs} requests (seed ${seed}) are answered as the specification says`, {
  timeout: 60_000 + runs * 100,
}, async () => {
  const described = (await fetchDocument(platform.url)).filter(isOperation);
  const judge = createJudge(described);
  const world = createWorld(platform);
  const files = [
    Uint8Array.from(await testImage(7)),
    Uint8Array.from(await testImage(8, 'jpeg')),
    Uint8Array.from(await testImage(9, 'webp')),
    Uint8Array.from(Buffer.from('no image')),
    new Uint8Array(),
  ];
  const findings = new Map<string, string>();
  const statuses = new Map<string, number>();
  const refusals = new Map<string, readonly string[]>();
  for (let made = 0; made < runs; made += requestsPerWorld) {
    await world.renew();
    const arbitrary = fc
      .constantFrom(...described)
      .chain((one) => requestOf(one, world.known, files));
    const count = Math.min(requestsPerWorld, runs - made);
    for (const request of fc.sample(arbitrary, { numRuns: count, seed: seed + made })) {
      const answer = await send(request);
      const { operationId } = request.described;
      const outcome = `${operationId} ${answer.status}`;
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      if (request.asker === 'owner' && answer.status >= 400) {
        refusals.set(operationId, [...(refusals.get(operationId) ?? []), answer.text]);
      }
      const wrong = judge(request, answer);
      if (wrong !== undefined) {
        findings.set(`${operationId}: ${wrong}`, describeCall(request, answer));
      }
      world.learn(answer.text);
    }
  }
  if (FUZZ_RUNS !== undefined) report(statuses, refusals);
  expect(Object.fromEntries(findings)).toEqual({});
  // A run in which everything is refused would prove nothing.
  const succeeded = new Set(
    [...statuses.keys()]
      .filter((outcome) => / 20\d$/.test(outcome))
      .map((one) => one.split(' ')[0]),
  );
  expect(succeeded.size).toBeGreaterThan(runs < 2_000 ? 25 : 60);
});

/** Routes beside the operations are judged by tests of their own. */
function isOperation({ operationId }: Described): boolean {
  return !['blob_get', 'thumb_get', 'upload_put', 'health'].includes(operationId);
}

const keys: Readonly<Record<Asker, () => string | undefined>> = {
  owner: () => platform.key,
  other: () => tokens.issue({ workspace: 'initech', scopes: new Set(scopes) }),
  wrong: () => 'a-key-of-nobody',
  nobody: () => undefined,
};

async function send({ described, asker, target, body }: FuzzRequest): Promise<FuzzAnswer> {
  const key = keys[asker]();
  const type = body?.kind === 'text' ? body.type : undefined;
  const answer = await fetch(platform.url + target, {
    method: described.method,
    headers: {
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: body.kind === 'text' ? body.text : formOf(body.parts) }),
    redirect: 'manual',
  });
  const contentType = answer.headers.get('content-type') ?? '';
  return { status: answer.status, contentType, text: await answer.text() };
}

function formOf(parts: readonly { name: string; value: string | Uint8Array<ArrayBuffer> }[]) {
  const form = new FormData();
  for (const { name, value } of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), 'file.png');
  }
  return form;
}

function describeCall({ described, asker, target, body }: FuzzRequest, answer: FuzzAnswer): string {
  const given =
    body === undefined
      ? ''
      : body.kind === 'text'
        ? ` [${body.type}] ${JSON.stringify(body.text.slice(0, 600))}`
        : ` form ${body.parts.map(({ name, value }) => `${name}=${String(value).slice(0, 40)}`)}`;
  const answered = `${answer.status} ${answer.text.slice(0, 400)}`;
  return `${asker} ${described.method} ${target}${given} => ${answered}`;
}

/** How each operation answered; of those that never succeeded, with what words. */
function report(
  statuses: ReadonlyMap<string, number>,
  refusals: ReadonlyMap<string, readonly string[]>,
): void {
  const lines = [...statuses].map(([outcome, times]) => `${outcome}: ${times}`);
  for (const [operation, texts] of refusals) {
    if ([...statuses.keys()].some((one) => one.startsWith(`${operation} 2`))) continue;
    lines.push(...texts.slice(0, 8).map((text) => `${operation} never: ${text.slice(0, 200)}`));
  }
  process.stderr.write(`${lines.toSorted().join('\n')}\n`);
}
