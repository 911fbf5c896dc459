// A bucket in a store that does not keep to the rules, as some behind a proxy or a cache do not.

import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openBucket } from '../../src/storage/s3/bucket.ts';
import { s3Credentials } from '../fixtures/s3-server.ts';

const content = Buffer.from('0123456789');

/** Answers every request so. */
async function bucketOf(answer: {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}) {
  const { status = 200, headers = {}, body } = answer;
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  Object.assign(process.env, s3Credentials);
  onTestFinished(() => {
    for (const name of Object.keys(s3Credentials)) delete process.env[name];
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const place = {
    bucket: 'b',
    prefix: '',
    endpoint,
    region: undefined,
    downloads: 'stream',
  } as const;
  return { bucket: openBucket(place, 1), asked: () => requests };
}

test('a part is read where the store gives it', async () => {
  const headers = { 'content-range': 'bytes 2-4/10' };
  const { bucket } = await bucketOf({ status: 206, headers, body: content.subarray(2, 5) });
  const part = await bucket.get('key', { start: 2, end: 4 });
  expect((part && (await buffer(part)))?.toString()).toBe('234');
});

test.each([
  ['the whole object', { body: content }],
  ['another part', { status: 206, headers: { 'content-range': 'bytes 0-2/10' }, body: '012' }],
])('%s in place of a part is refused, since its bytes would be wrong', async (_what, answer) => {
  const { bucket } = await bucketOf(answer);
  await expect(bucket.get('key', { start: 2, end: 4 })).rejects.toMatchObject({
    code: 'internal',
    message: 'The object store gave another part than was asked for.',
  });
});

test('a list without objects and without an end is given up', async () => {
  const body = `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>
    <NextContinuationToken>more</NextContinuationToken></ListBucketResult>`;
  const { bucket, asked } = await bucketOf({ headers: { 'content-type': 'text/xml' }, body });
  const listed = (async () => {
    for await (const { key } of bucket.list('a')) expect(key).toBe('none');
  })();
  await expect(listed).rejects.toThrow('lists without end');
  expect(asked()).toBe(21);
});
