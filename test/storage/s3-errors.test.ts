// What is said of an object store that fails or is away; the SDK tries again before.

import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { readSettings } from '../../src/config.ts';
import { FoveaError } from '../../src/errors.ts';
import type { ObjectStorageSettings } from '../../src/object-storage-settings.ts';
import { openBucket } from '../../src/storage/s3/bucket.ts';
import { openS3Blobs } from '../../src/storage/s3/open-s3-blobs.ts';
import { awaitedService } from '../../src/storage/service-away.ts';
import { uuidv7 } from '../../src/uuid.ts';
import {
  closedPort,
  half,
  reset,
  type Step,
  startMisbehavingServer,
  text,
} from '../fixtures/scripted-http-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const place: ObjectStorageSettings = {
  bucket: 'a-bucket',
  prefix: '',
  endpoint: undefined,
  region: undefined,
  downloads: 'stream',
};

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA-OF-TESTS');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret-of-tests');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const helloHash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

function listOf(key: string): string {
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>${key}</Key><Size>5</Size></Contents></ListBucketResult>`;
}

async function failure(work: Promise<unknown>): Promise<FoveaError> {
  const thrown = await work.catch((each: unknown) => each);
  if (thrown instanceof FoveaError) return thrown;
  throw new Error('nothing failed as it should', { cause: thrown });
}

async function getFrom(...steps: readonly Step[]) {
  const server = await startMisbehavingServer(...steps);
  try {
    const work = async () => {
      for await (const _piece of (await openBucket({ ...place, endpoint: server.url }).get('a')) ??
        []);
    };
    return { error: await failure(work()), requests: server.seen.length };
  } finally {
    await server.close();
  }
}

function refusal(status: number, code: string): Step {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Wrong words</Message><AWSAccessKeyId>AKIA-OF-TESTS</AWSAccessKeyId></Error>`;
  return text(status, body, { 'content-type': 'application/xml' });
}

test.each([
  ['503', refusal(503, 'ServiceUnavailable'), 'The object store cannot be reached (503).', 6],
  ['500', refusal(500, 'InternalError'), 'The object store cannot be reached (500).', 6],
  ['a lost connection', reset, 'The object store cannot be reached (ECONNRESET).', 6],
  ['half an answer', half(200), 'The object store cannot be reached (ECONNRESET).', 1],
  ['408', refusal(408, 'RequestTimeout'), 'The object store cannot be reached (408).', 6],
])('%s means: later', async (_what, step, message, requests) => {
  const found = await getFrom(step);
  expect(found.error).toMatchObject({ code: 'unavailable', message, retryAfterSeconds: 1 });
  expect(awaitedService(found.error)).toBe('object-store');
  expect(found.requests).toBe(requests);
});

test('one failure is not noticed', async () => {
  const server = await startMisbehavingServer(refusal(503, 'SlowDown'), text(200, 'hello'));
  const pieces = await openBucket({ ...place, endpoint: server.url }).get('a');
  expect(pieces && (await buffer(pieces)).toString()).toBe('hello');
  await server.close();
});

test('content that breaks off is read once more', async () => {
  const marker = text(200, 'us');
  const list = text(200, listOf(`2c/${helloHash}.${uuidv7(0)}`), { 'content-type': 'text/xml' });
  const server = await startMisbehavingServer(marker, list, half(200), text(200, 'hello'));
  const blobs = await openS3Blobs({
    place: { ...place, endpoint: server.url },
    folder: await temporaryFolder(),
    owner: 'us',
    clock: systemClock,
  });
  expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  expect(server.seen).toHaveLength(4);
  await server.close();
});

describe('a sweep', () => {
  const first = `00/${'0'.repeat(64)}`;
  const last = `ff/${'f'.repeat(64)}`;
  const xml = { 'content-type': 'text/xml' };
  const page = (keys: readonly string[], next?: string) => {
    const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>5</Size></Contents>`);
    const body = `<IsTruncated>${next !== undefined}</IsTruncated>${more}${contents.join('')}`;
    return text(200, `<?xml version="1.0"?><ListBucketResult>${body}</ListBucketResult>`, xml);
  };
  const denied = refusal(403, 'AccessDenied');
  const gone: Step = (response) => response.writeHead(204).end();

  async function sweepOf(isWanted: (hash: string) => boolean, ...steps: readonly Step[]) {
    const server = await startMisbehavingServer(text(200, 'us'), ...steps);
    onTestFinished(() => server.close());
    const blobs = await openS3Blobs({
      place: { ...place, endpoint: server.url },
      folder: await temporaryFolder(),
      owner: 'us',
      clock: systemClock,
    });
    const sweeping = blobs.sweep(isWanted, 0);
    const asked = () => server.seen.slice(1).map(({ method, url }) => `${method} ${url}`);
    return { sweeping, asked };
  }

  test('goes on past an object that cannot be removed', async () => {
    const { sweeping, asked } = await sweepOf(
      () => false,
      page([first, last]),
      page([first]),
      denied,
      page([last]),
      gone,
    );
    const { problems, ...result } = await sweeping;
    expect(result).toEqual({ removed: 1, bytesRemoved: 5, kept: 1 });
    expect(problems?.count).toBe(1);
    expect(problems?.first).toMatchObject({ message: expect.stringContaining('may not do that') });
    expect(asked().at(-1)).toContain(`DELETE /a-bucket/${last}`);
  });

  test('goes on behind the part of a list that cannot be read', async () => {
    const { sweeping, asked } = await sweepOf(
      () => true,
      page([first, `2c/${helloHash}`], 'more'),
      denied,
      page([last]),
    );
    expect(await sweeping).toMatchObject({ removed: 0, problems: { count: 1 } });
    expect(asked().at(-1)).toContain('start-after=2d%2F');
  });

  test('looks at all of a list whose beginning cannot be read at first', async () => {
    const { sweeping, asked } = await sweepOf(() => true, denied, page([first, last]));
    expect(await sweeping).toMatchObject({ kept: 2, problems: { count: 1 } });
    expect(asked().at(-1)).toContain('start-after=00%2F');
  });

  test('has an end where no list can be read', async () => {
    const { sweeping, asked } = await sweepOf(() => true, denied);
    expect(await sweeping).toMatchObject({ kept: 0, problems: { count: 257 } });
    expect(asked().at(-1)).toContain('start-after=ff%2F');
  });

  test('ends where the store is away: its task waits for it', async () => {
    const { sweeping, asked } = await sweepOf(() => false, reset);
    expect(awaitedService(await failure(sweeping))).toBe('object-store');
    // The tenth list.
    expect(asked().at(-1)).toContain('start-after=08%2F');
  });
});

test('a store that is not there is away', async () => {
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  expect(await failure(openBucket({ ...place, endpoint }).remove('a'))).toMatchObject({
    code: 'unavailable',
    message: 'The object store cannot be reached (ECONNREFUSED).',
  });
});

test.each([
  [
    403,
    'AccessDenied',
    'The credentials may not do that in the bucket "a-bucket".',
    's3:PutObject',
  ],
  [403, 'InvalidAccessKeyId', 'The object store does not take these credentials.', 'AWS_ACCESS'],
  [400, 'ExpiredToken', 'The object store does not take these credentials.', 'AWS_SESSION_TOKEN'],
  [404, 'NoSuchBucket', 'There is no bucket "a-bucket".', 'FOVEA_OBJECTS_URL'],
  [301, 'PermanentRedirect', 'The bucket "a-bucket" is in another region.', 'AWS_REGION'],
  [
    400,
    'AuthorizationHeaderMalformed',
    'The bucket "a-bucket" is in another region.',
    'AWS_REGION',
  ],
])('%i %s says what to set, and no secret', async (status, code, message, hint) => {
  const { error } = await getFrom(refusal(status, code));
  expect(error).toMatchObject({ code: 'internal', message, hint: expect.stringContaining(hint) });
  const { inspect } = await import('node:util');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(
    /AKIA-OF-TESTS|a-secret|Wrong words|Signature=/,
  );
});

test.each([
  [405, 'MethodNotAllowed'],
  [501, 'NotImplemented'],
])('any other refusal is told by its name alone: %i', async (status, name) => {
  const { error } = await getFrom(refusal(status, name));
  expect(error).toMatchObject({
    code: 'internal',
    message: `The object store refused a request (${name}, ${status}).`,
  });
  expect(awaitedService(error)).toBeUndefined();
});

test('without a region, AWS cannot be asked', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  expect(await failure(openBucket(place).remove('a'))).toMatchObject({
    code: 'internal',
    message: 'The region of the bucket is not set.',
    hint: 'Set AWS_REGION.',
  });
});

test('without credentials, no store can be asked', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  expect(await failure(openBucket({ ...place, endpoint }).remove('a'))).toMatchObject({
    code: 'internal',
    message: 'There are no credentials for the object store.',
  });
});

test.each([
  ['s3://my-bucket', { bucket: 'my-bucket', prefix: '' }],
  ['s3://my-bucket/', { bucket: 'my-bucket', prefix: '' }],
  ['s3://my.bucket/a/b', { bucket: 'my.bucket', prefix: 'a/b/' }],
  ['s3://my-bucket//a/', { bucket: 'my-bucket', prefix: 'a/' }],
])('%s is a place', (value, expected) => {
  expect(readSettings({ FOVEA_OBJECTS_URL: value }).objects).toMatchObject(expected);
});

test.each([
  'https://my-bucket',
  's3://',
  's3://My_Bucket',
  's3://b/../c',
  's3://key:secret@bucket',
])('%s is none', (value) => {
  const wrong = () => readSettings({ FOVEA_OBJECTS_URL: value });
  expect(wrong).toThrow('FOVEA_OBJECTS_URL: must be s3:// with a bucket');
});

test("downloads come from AWS itself, and through us from a store of one's own", () => {
  const of = (more: Record<string, string>) =>
    readSettings({ FOVEA_OBJECTS_URL: 's3://my-bucket', ...more }).objects;
  expect(of({ AWS_REGION: 'eu-central-1' })).toMatchObject({
    region: 'eu-central-1',
    endpoint: undefined,
    downloads: 'redirect',
  });
  const own = { AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_S3: 'http://10.0.0.1:9000' };
  expect(of(own)).toMatchObject({ endpoint: 'http://10.0.0.1:9000/', downloads: 'stream' });
  expect(of({ ...own, FOVEA_OBJECTS_DOWNLOADS: 'redirect' })?.downloads).toBe('redirect');
  expect(() => of({ AWS_ENDPOINT_URL: 'minio' })).toThrow('AWS_ENDPOINT_URL: must be');
});
