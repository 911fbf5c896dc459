// Multipart bodies: without an end, of nothing but parts, with headers that never stop.

import { type Attack, single, type Target } from './attack.ts';
import { repeated } from './dense-bodies.ts';
import { form, formBody, formHeaders, type Part, type Request } from './raw-request.ts';

const png = { name: 'file', fileName: 'a.png', type: 'image/png' };

const upload = (target: Target, body: Uint8Array): Request => ({
  path: `/dataset/${target.id('project')}/upload`,
  headers: formHeaders,
  body,
});

const attach = (target: Target, kind: string, body: Uint8Array): Request => ({
  path: `/v2/events/${target.id('draft')}/${kind}`,
  headers: formHeaders,
  body,
});

const part = (content: string | Uint8Array, more: Partial<Part> = {}): Part => ({
  ...png,
  content,
  ...more,
});

const boundaryLine = '--fovea-attacks-boundary\r\n';

/** Names and bytes of the uploads, for the platform and for the Event Store. */
const bodies: readonly (readonly [string, () => Buffer])[] = [
  ['a body without an end, 100 KB', () => formBody([part('a'.repeat(100_000))], '')],
  ['a body without an end, 5 MB', () => formBody([part('a'.repeat(5_000_000))], '')],
  ['a body of 20 MB of empty parts', () => Buffer.from(`${boundaryLine}\r\n\r\n`.repeat(666_000))],
  ['a body of 20 MB of boundaries', () => Buffer.from(boundaryLine.repeat(770_000))],
  ['500,000 parts without a name', () => formBody(repeated(200_000, () => part('', { name: '' })))],
  [
    '20 MB of headers of one part',
    () => Buffer.from(`${boundaryLine}${'a: b\r\n'.repeat(3_300_000)}\r\n`),
  ],
  ['one header of 20 MB', () => Buffer.from(`${boundaryLine}a: ${'b'.repeat(20_000_000)}`)],
  [
    'a file name of 8 KB of escapes',
    () => formBody([part('a', { fileName: `${'%0a'.repeat(2_600)}.png` })]),
  ],
  [
    'a text field of 20 MB',
    () => formBody([{ name: 'metadata', content: 'a'.repeat(20_000_000) }]),
  ],
  [
    '20 fields of 1 MB',
    () => formBody(repeated(20, (at) => ({ name: `a${at}`, content: 'a'.repeat(1_000_000) }))),
  ],
  ['a file of 110 MB', () => formBody([part(Buffer.alloc(110_000_000))])],
  ['16 files of 7 MB', () => formBody(repeated(16, () => part(Buffer.alloc(7_000_000))))],
  ['20 MB of line ends', () => formBody([part('\r\n'.repeat(10_000_000))])],
  [
    '20 MB of what looks like boundaries',
    () => formBody([part('\r\n--fovea-attacks-boundarx'.repeat(770_000))]),
  ],
  ['an empty body', () => Buffer.alloc(0)],
];

export const multipartAttacks: readonly Attack[] = [
  ...bodies.map(([name, make]) =>
    single('platform', `upload: ${name}`, (target) => upload(target, make())),
  ),
  ...bodies.map(([name, make]) =>
    single('event-store', `file of an event: ${name}`, (target) =>
      attach(target, 'local-only-files', make()),
    ),
  ),
  single('event-store', 'video: a body without an end, 100 KB', (target) =>
    attach(target, 'videos', formBody([part('a'.repeat(100_000), { fileName: 'a.mp4' })], '')),
  ),
  single('platform', 'upload: metadata of a million members', (target) =>
    form(`/dataset/${target.id('project')}/upload`, [
      part('not an image'),
      { name: 'metadata', content: `{"a":[${'0,'.repeat(500_000)}0]}` },
    ]),
  ),
  single('event-store', 'attach: a boundary of 15,500 blanks', (target) => ({
    ...attach(target, 'videos', Buffer.from('a')),
    headers: { 'content-type': `multipart/form-data; boundary=${' '.repeat(15_500)}"a` },
  })),
  single('platform', 'upload: a boundary of 10 KB', (target) => ({
    path: `/dataset/${target.id('project')}/upload`,
    headers: { 'content-type': `multipart/form-data; boundary=${'a'.repeat(10_000)}` },
    body: 'a',
  })),
  single('platform', 'previews: 16 files and their annotations', () =>
    form('/previews', [
      ...repeated(8, () => part(Buffer.alloc(2_000_000), { name: 'images' })),
      ...repeated(8, () => part('{}', { name: 'annotations', fileName: 'a.json' })),
      { name: 'preprocessing', content: '{}' },
      { name: 'augmentation', content: '{}' },
    ]),
  ),
];
