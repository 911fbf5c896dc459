// `fovea account`: the accounts that may sign in.

import type { Accounts } from '../authorization-server/accounts.ts';
import type { AccountCommand } from '../commands.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { administer, table } from './administer.ts';
import { readPassword } from './read-password.ts';

/** Adds, lists or removes accounts, or gives one a new password, from the terminal or stdin. */
export async function runAccount(command: AccountCommand): Promise<void> {
  await administer(command.data, async ({ accounts }, workspace) => {
    if (command.action === 'add') return addAccount(accounts, command);
    if (command.action === 'password') return changePassword(accounts, command);
    if (command.action === 'list') return listAccounts(accounts, workspace);
    await removeAccount(accounts, command.name ?? '');
  });
}

async function addAccount(accounts: Accounts, command: AccountCommand): Promise<void> {
  const { name = '', email, workspaces } = command;
  if (email === undefined) {
    throw invalidArgument('--email', 'is missing', 'For example: --email ada@example.com');
  }
  // Before a password is typed for nothing.
  await accounts.check({ name, email, workspaces });
  const password = await readPassword(`Password for ${name}: `);
  const account = await accounts.add({ name, email, workspaces, password });
  process.stdout.write(`${account.name} can sign in now (${account.id}).\n`);
}

async function listAccounts(accounts: Accounts, workspace: string): Promise<void> {
  const rows = (await accounts.list()).map(({ name, email, workspaces, id }) => {
    const shown = workspaces.length > 0 ? workspaces.join(', ') : workspace;
    return [name, email, shown, id];
  });
  process.stdout.write(
    rows.length === 0
      ? 'There is no account. "fovea account add NAME --email ADDRESS" makes one.\n'
      : table([['NAME', 'EMAIL', 'WORKSPACES', 'ID'], ...rows]),
  );
}

async function changePassword(
  accounts: Accounts,
  { name = '', signOut: programs }: AccountCommand,
): Promise<void> {
  const account = await accounts.findByName(name);
  if (account === undefined) throw noAccount(name);
  const password = await readPassword(`New password for ${name}: `);
  await accounts.changePassword(account.id, password, { programs });
  const ended = programs ? 'all browsers and programs are' : 'all browsers are';
  process.stdout.write(`The password of ${name} is changed, and ${ended} signed out.\n`);
}

function noAccount(name: string): FoveaError {
  return new FoveaError('not_found', `There is no account "${name}".`, {
    hint: 'fovea account list shows all.',
  });
}

async function removeAccount(accounts: Accounts, name: string): Promise<void> {
  const account = await accounts.findByName(name);
  if (account === undefined || !(await accounts.remove(name))) throw noAccount(name);
  process.stdout.write(
    `The account ${name} is gone, and all its sign-ins have ended.\n` +
      'API keys that it made belong to the workspace and go on. "Keys" on the platform\'s page\n' +
      `lists them as made by "${account.name} (removed)", and revokes them.\n`,
  );
}
