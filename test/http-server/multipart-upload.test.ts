// One file in a multipart body, streamed: what is taken, and that nothing is left of what is not.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { receiveFile } from '../../src/http-server/multipart-upload.ts';
import { type FileStore, openFileFolder } from '../../src/storage/file-store.ts';
import {
  type Answer,
  json,
  send,
  sendRaw,
  startTestService,
  type TestService,
} from './test-service.ts';

const bytesMax = 1_000_000;
const id = '01934abc-0001-7abc-8abc-0123456789ab';

let service: TestService;
let folder: string;
let files: FileStore;
/** What the last request ended with, after the store was done with it. */
let outcome: Promise<unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-file-part-'));
  files = await openFileFolder(folder);
  service = await startTestService({
    routes: [
      {
        method: 'PUT',
        path: '/file/{kind}',
        open: true,
        handle: (request, response, { kind }) => {
          const store = kind === 'refused' ? refuse : keep;
          const handled = receiveFile(request, rulesOf(kind), store).then(
            ({ stored, fields, declaredType }) => {
              const answer = { ...stored, fields: [...fields], declaredType };
              response.end(JSON.stringify(answer));
            },
          );
          outcome = handled.then(
            () => 'kept',
            ({ code, message }) => ({ code, message }),
          );
          return handled;
        },
      },
    ],
  });
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  await files.remove([id]);
});

/** After each test: what was refused left nothing. */
async function expectNothingKept(): Promise<void> {
  await outcome;
  expect((await readdir(folder)).sort()).toEqual(['.fovea-files', 'incoming']);
  expect(await readdir(join(folder, 'incoming'))).toEqual([]);
}

const rules = {
  bytesMax,
  fields: {
    label: (value: string) => {
      if (value.length > 10) throw invalidArgument('label', 'must be short');
    },
    note: () => {},
  },
};

const rulesOf = (kind: string | undefined) =>
  kind === 'large' ? { ...rules, bytesMax: 100 * bytesMax } : rules;

async function keep(pieces: AsyncIterable<Uint8Array>) {
  const { bytes } = await files.write(id, pieces);
  const hash = createHash('sha256')
    .update(await files.read(id))
    .digest('hex');
  return { bytes, hash };
}

/** A store that has no room, and finds out with the first piece. */
async function refuse(pieces: AsyncIterable<Uint8Array>): ReturnType<typeof keep> {
  for await (const _piece of pieces) throw new FoveaError('full', 'The disk is full.');
  return { bytes: 0, hash: '' };
}

const multipart = 'multipart/form-data; boundary=XX';

function upload(body: string | Buffer, type = multipart, kind = 'kept'): Promise<Answer> {
  return send(service, 'PUT', `/file/${kind}`, { 'content-type': type }, body);
}

function part(disposition: string, content: string, headers = ''): string {
  return `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`;
}

const hello = part('name="file"; filename="a.mp4"', 'hello', 'Content-Type: video/mp4\r\n');
const label = part('name="label"', 'front');
const end = '--XX--\r\n';
const helloHash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('a file is taken', () => {
  test.each([
    ['alone', `${hello}${end}`, []],
    ['with fields before it', `${label}${hello}${end}`, [['label', 'front']]],
    ['with fields after it', `${hello}${label}${end}`, [['label', 'front']]],
    [
      'with fields on both sides',
      `${label}${hello}${part('name="note"', 'é')}${end}`,
      [
        ['label', 'front'],
        ['note', 'é'],
      ],
    ],
    ['with an empty field', `${hello}${part('name="label"', '')}${end}`, [['label', '']]],
    ['with a preamble and an epilogue', `before\r\n${hello}${end}after`, []],
    ['without a line after the end', `${hello}--XX--`, []],
  ])('%s', async (_name, body, fields) => {
    const answer = await upload(body);
    expect(answer.status).toBe(200);
    const expected = { bytes: 5, hash: helloHash, fields, declaredType: 'video/mp4' };
    expect(json(answer)).toEqual(expected);
  });

  test.each([
    ['without a file name', 'name="file"'],
    ['with a path for a name', 'name="file"; filename="../../../etc/passwd"'],
    ['with a NUL in its name', 'name="file"; filename="a\0b"'],
  ])('%s', async (_name, disposition) => {
    const answer = await upload(`${part(disposition, 'hello')}${end}`);
    expect(json(answer)).toMatchObject({ bytes: 5, hash: helloHash });
    expect(await filesIn(folder)).toEqual(['.fovea-files', `01934/01934abc/${id}`]);
  });

  test('of exactly the most bytes that it may have, unchanged', async () => {
    const content = Buffer.alloc(bytesMax, 'abcdefg\r\n--X');
    const form = new FormData();
    form.set('label', 'front');
    form.set('file', new Blob([content]), 'a.bin');
    const request = { method: 'PUT', body: form };
    const response = await fetch(`${service.url}/file/kept`, request);
    expect(await response.json()).toMatchObject({
      bytes: 1_000_000,
      hash: createHash('sha256').update(content).digest('hex'),
    });
  });

  test('large, and what has passed of it leaves the memory every 4 MB', async () => {
    const collect = vi.fn<(options: unknown) => void>();
    vi.stubGlobal('gc', collect);
    onTestFinished(() => void vi.unstubAllGlobals());
    const content = Buffer.alloc(10 * 1024 * 1024, 'abcdefg');
    const form = new FormData();
    form.set('file', new Blob([content]), 'a.bin');
    const response = await fetch(`${service.url}/file/large`, { method: 'PUT', body: form });
    expect(await response.json()).toMatchObject({ bytes: content.length });
    const young = [{ type: 'minor', execution: 'sync' }];
    expect(collect.mock.calls).toEqual([young, young]);
  });

  test.each([1, 3, 7])('that comes in chunks of %i bytes', async (size) => {
    const body = Buffer.from(`${label}${hello}${end}`);
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
      const chunk = body.subarray(index * size, (index + 1) * size).toString('latin1');
      return `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    });
    const answer = await sendRaw(
      service,
      `${head('Transfer-Encoding: chunked')}${chunks.join('')}0\r\n\r\n`,
    );
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer).toContain(helloHash);
  });
});

describe('a body is refused with 400, and leaves nothing', () => {
  afterEach(expectNothingKept);

  const malformed = 'The multipart body is malformed or incomplete.';
  const needed = 'The body must be multipart/form-data with a boundary.';
  const unknown = 'The multipart body has a part that is not known; expected file, label, note.';

  test.each([
    ['no end', hello, malformed],
    ['an end in the middle of the file', hello.slice(0, -5), malformed],
    ['no end after 900 kB of file', part('name="file"', 'x'.repeat(900_000)), malformed],
    ['no end after 900 kB', part('name="file"', 'x'.repeat(900_000)).slice(0, -2), malformed],
    ['an end in the middle of the headers', `${hello}--XX\r\nContent-Disp`, malformed],
    ['no end after a field', `${hello}${label}`, malformed],
    ['only an end', end, 'file: is missing.'],
    ['nothing but noise', 'pixels', malformed],
    ['nothing at all', '', malformed],
    [
      'another boundary than it has',
      `${hello}${end}`,
      malformed,
      'multipart/form-data; boundary=Y',
    ],
    ['no boundary', `${hello}${end}`, needed, 'multipart/form-data'],
    ['an empty boundary', `${hello}${end}`, needed, 'multipart/form-data; boundary='],
    [
      'a boundary of 71 characters',
      `${hello}${end}`,
      needed,
      `multipart/form-data; boundary=${'X'.repeat(71)}`,
    ],
    ['two boundaries', `${hello}${end}`, needed, 'multipart/form-data; boundary=XX; boundary=YY'],
    ['another type', '{}', needed, 'application/json'],
    ['a form of another kind', 'file=hello', needed, 'application/x-www-form-urlencoded'],
    ['a mixed multipart', `${hello}${end}`, needed, 'multipart/mixed; boundary=XX'],
    ['no type', `${hello}${end}`, needed, ''],
    ['no file', `${label}${end}`, 'file: is missing.'],
    ['an empty file', `${part('name="file"; filename="a"', '')}${end}`, 'file: is empty.'],
    ['two files', `${hello}${hello}${end}`, 'file: is given twice.'],
    ['two files, one empty', `${hello}${part('name="file"', '')}${end}`, 'file: is given twice.'],
    ['ten files', `${hello.repeat(10)}${end}`, 'file: is given twice.'],
    ['a file of another name', `${part('name="image"; filename="a"', 'x')}${end}`, unknown],
    [
      'a second file of another name',
      `${hello}${part('name="x"; filename="a"', '')}${end}`,
      unknown,
    ],
    ['an unknown field', `${hello}${part('name="__proto__"', 'x')}${end}`, unknown],
    ['a field that is a file', `${part('name="label"; filename="a"', 'x')}${hello}${end}`, unknown],
    ['a field without a name', `${part('x="y"', 'x')}${hello}${end}`, unknown],
    ['a file without a name', `${part('filename="a"', 'x')}${end}`, unknown],
    ['a field twice', `${label}${hello}${label}${end}`, 'label: is given twice.'],
    [
      'a field of 2 MB',
      `${hello}${part('name="note"', 'x'.repeat(2e6))}${end}`,
      'note: is too long.',
    ],
    ['a part without disposition', `--XX\r\nA: b\r\n\r\nx\r\n${end}`, 'file: is missing.'],
    [
      'headers of 200 kB',
      `--XX\r\nX: ${'x'.repeat(200_000)}\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n${end}`,
      'file: is missing.',
    ],
  ])('for %s', async (_name, body, message, type?: string) => {
    const answer = await upload(body, type);
    expect(answer.status).toBe(400);
    expect(json(answer)).toEqual({ error: { message, type: 'bad_request' } });
  });

  test.each([
    ['2,000 parts', `${hello}${part('name="note"', 'x').repeat(2_000)}${end}`],
    ['100,000 empty parts', `${hello}${'--XX\r\n\r\n\r\n'.repeat(100_000)}${end}`],
    ['100,000 boundaries', `${hello}${'--XX\r\n'.repeat(100_000)}${end}`],
  ])('for %s', async (_name, body) => {
    const answer = await upload(body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The multipart body has more parts than expected.');
  });

  test('in 20,000 pieces of one byte', async () => {
    const body = part('name="file"', 'x'.repeat(20_000)).replaceAll(/[\s\S]/g, '1\r\n$&\r\n');
    const answer = await sendRaw(service, `${head('Transfer-Encoding: chunked')}${body}0\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('The body comes in too many small pieces.');
  });

  test('with what the check of a field throws, before the file has come', async () => {
    const long = part('name="label"', 'x'.repeat(11));
    const socket = connect(service.port, '127.0.0.1');
    const answer = textOf(socket);
    socket.write(`${head('Content-Length: 900000')}${long}${hello}`);
    expect(await answer).toContain('label: must be short');
    socket.destroy();
  });

  test.each(cuts(`${label}${hello}${label}`))('cut after %i bytes', async (_length, body) => {
    expect((await upload(body)).status).toBe(400);
  });
});

describe('a file above the limit is refused with 413, and leaves nothing', () => {
  afterEach(expectNothingKept);

  test('by one byte', async () => {
    const answer = await upload(`${part('name="file"', 'x'.repeat(bytesMax + 1))}${end}`);
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('file: may have 1000000 bytes.');
  });

  test('before its first byte, where its length says so', async () => {
    const answer = await sendRaw(service, head('Content-Length: 9000000'));
    expect(answer).toContain('HTTP/1.1 413');
  });

  test('as soon as that shows, without a length', async () => {
    const socket = connect(service.port, '127.0.0.1');
    const answer = textOf(socket);
    socket.write(`${head('Transfer-Encoding: chunked')}200000\r\n`);
    socket.write(part('name="file"', 'x'.repeat(1024 * 1024)));
    expect(await answer).toContain('HTTP/1.1 413');
    socket.destroy();
  });
});

describe('what else can end a body', () => {
  afterEach(expectNothingKept);

  test('a client that goes away', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`${head('Content-Length: 900000')}${hello.slice(0, -2)}`);
    await vi.waitFor(async () => expect(await readdir(join(folder, 'incoming'))).toEqual([id]));
    socket.resetAndDestroy();
    await vi.waitFor(async () => expect(await readdir(join(folder, 'incoming'))).toEqual([]));
    expect(await outcome).toEqual({ code: 'cancelled', message: 'The client went away.' });
  });

  test('a store that fails', async () => {
    const content = 'x'.repeat(900_000);
    const answer = await upload(`${part('name="file"', content)}${end}`, multipart, 'refused');
    expect(answer.status).toBe(529);
    expect(answer.text).toContain('The disk is full.');
  });

  test('a client that stops sending, but not one that goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const socket = connect(service.port, '127.0.0.1');
    const answer = textOf(socket);
    socket.write(`${head('Content-Length: 900000')}${part('name="file"', '')}`.slice(0, -2));
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 10_000) {
      socket.write('x'.repeat(1_000));
      await vi.waitFor(async () => expect(await readdir(join(folder, 'incoming'))).toEqual([id]));
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(10_000);
    }
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    const text = await answer;
    expect(text).toContain('HTTP/1.1 400');
    expect(text).toContain('The body did not come to its end in time.');
    socket.destroy();
  });
});

describe('any damage to a body', () => {
  /** What may become of it: a change inside the content of the file stays a good body. */
  const allowed = [200, 400, 413];

  test('is answered, and nothing stays of what was refused', async () => {
    const body = Buffer.from(`${label}${hello}${part('name="note"', 'x')}${end}`);
    const damage = fc.record({
      at: fc.nat(body.length - 1),
      cut: fc.nat(20),
      insert: fc.oneof(
        fc.constantFrom('\r\n', '\r\n\r\n', '--XX', '--XX--', '\r\n--XX\r\n', '"', '\0'),
        fc.string({ maxLength: 8 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        let damaged = body;
        for (const { at, cut, insert } of damages) {
          const [before, after] = [damaged.subarray(0, at), damaged.subarray(at + cut)];
          damaged = Buffer.concat([before, Buffer.from(insert), after]);
        }
        const { status } = await upload(damaged);
        expect(allowed).toContain(status);
        if (status === 200) await files.remove([id]);
        else await expectNothingKept();
      }),
      { numRuns: 200 },
    );
  });
});

function head(length: string): string {
  const lines = ['PUT /file/kept HTTP/1.1', `Host: 127.0.0.1:${service.port}`, 'Connection: close'];
  return `${[...lines, `Content-Type: ${multipart}`, length].join('\r\n')}\r\n\r\n`;
}

/** The first bytes of an answer. */
function textOf(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('error', () => {});
  socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
  return promise;
}

/** A body at its beginning, and cut at every eleventh byte. */
function cuts(body: string): [number, string][] {
  const lengths = Array.from(
    { length: Math.floor(body.length / 11) },
    (_, index) => index * 11 + 1,
  );
  return lengths.map((length) => [length, body.slice(0, length)]);
}

async function filesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}
