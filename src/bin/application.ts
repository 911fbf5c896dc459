// `fovea application`: the programs that may ask people to sign in.

import type { Applications } from '../authorization-server/applications.ts';
import type { ApplicationCommand } from '../command-line.ts';
import { FoveaError } from '../errors.ts';
import { administer, table } from './administer.ts';

/** Registers, lists or removes applications. A secret is printed once, when it is made. */
export async function runApplication(command: ApplicationCommand): Promise<void> {
  await administer(command.data, ({ applications }, workspace) => {
    if (command.action === 'add') return addApplication(applications, command, workspace);
    if (command.action === 'list') return listApplications(applications);
    removeApplication(applications, command.id ?? '');
  });
}

function addApplication(
  applications: Applications,
  { values }: ApplicationCommand,
  workspace: string,
): void {
  const { application, secret } = applications.add(values, workspace);
  process.stdout.write(`client_id: ${application.id}\n`);
  if (secret === undefined) return;
  process.stdout.write(`client_secret: ${secret.reveal()}\n`);
  process.stderr.write('The secret is shown this once: nobody can show it again.\n');
}

function listApplications(applications: Applications): void {
  const rows = applications
    .list()
    .map(({ id, name, authentication, visibility, workspace, redirectUris }) => [
      ...[id, name, authentication, visibility, workspace, redirectUris.join(' ')],
    ]);
  const head = ['CLIENT ID', 'NAME', 'AUTHENTICATION', 'VISIBILITY', 'WORKSPACE', 'REDIRECT URIS'];
  process.stdout.write(
    rows.length === 0
      ? 'There is no application. "fovea application add" registers one.\n'
      : table([head, ...rows]),
  );
}

function removeApplication(applications: Applications, id: string): void {
  if (!applications.remove(id)) {
    throw new FoveaError('not_found', `There is no application "${id}".`, {
      hint: 'fovea application list shows all.',
    });
  }
  process.stdout.write(`The application ${id} is gone, and all its sign-ins have ended.\n`);
}
