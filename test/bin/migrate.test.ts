// `fovea migrate` with arguments that name no move: it says what would be right.

import { expect, test } from 'vitest';
import { runFovea } from '../fixtures/fovea-services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const database = 'postgres://ada:never-shown@127.0.0.1:1/fovea';

async function said(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runFovea(['migrate', ...words], { HOME: '/nowhere' });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toContain('never-shown');
  return stderr;
}

test.each([
  [[], '--from: must be given'],
  [['--from', 'here'], '--to: must be given'],
  [['--to', database], '--from: must be given'],
  [['--from', 'here', '--to', 'there'], 'must be a data folder and the address of a PostgreSQL'],
  [['--from', database, '--to', database], 'must be a data folder and the address of a PostgreSQL'],
  [['--from', 'here', '--to', 'mysql://ada:never-shown@host/fovea'], '--to: must be the URL of'],
  [['--from', `${database}?options=-c`, '--to', 'here'], '--from: must be without options='],
  [['--from', 'here', '--to', database, '--objects', 'nowhere'], '--objects: must be s3://'],
  [
    ['--from', 'here', '--to', database, '--objects', 's3://'],
    '--objects: must be s3:// with a bucket',
  ],
  [['--from', 'here', '--to', database, '--objects', 's3://b/c'], '--objects: must be s3://'],
  [['--from', 'here', '--to', 'postgres://ada@127.0.0.1'], '--to: must name a database behind'],
  [['--from', 'here', '--to', database, 'now'], '"now" is one too many'],
  [['--from', 'here', '--to', database, '--data', 'x'], 'is not an option of "fovea migrate"'],
  [['--from', '', '--to', database], '--from: must not be empty'],
])('%j: %s', async (words, message) => {
  expect(await said(words)).toContain(message);
});

test('a FOVEA_HOME is not taken for a data folder', async () => {
  const folder = await temporaryFolder();
  expect(await said(['--from', folder, '--to', database])).toContain('There is no file');
});

test('a server that is away is said to be away', async () => {
  const folder = await temporaryFolder();
  expect(await said(['--from', database, '--to', folder])).toContain(
    'The database cannot be reached (ECONNREFUSED).',
  );
});
