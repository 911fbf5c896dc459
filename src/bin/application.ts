// `fovea application`: the OAuth clients that may ask people to sign in.

import type { Applications, NewApplication } from '../authorization-server/applications.ts';
import type { ApplicationCommand, ApplicationValues } from '../commands.ts';
import { readSettings } from '../config.ts';
import { asFoveaError, FoveaError, invalidArgument, invalidInput } from '../errors.ts';
import { administer, table } from './administer.ts';

/** Registers, lists or removes applications. A secret is printed once, when it is made. */
export async function runApplication(command: ApplicationCommand): Promise<void> {
  await administer(command.data, async ({ applications }, workspace) => {
    if (command.action === 'add') return addApplication(applications, command, workspace);
    if (command.action === 'list') return listApplications(applications);
    await removeApplication(applications, command.id ?? '');
  });
}

async function addApplication(
  applications: Applications,
  { values }: ApplicationCommand,
  workspace: string,
): Promise<void> {
  refuseOwnOrigin(values);
  const { application, secret } = await register(applications, values, workspace);
  process.stdout.write(`client_id: ${application.id}\n`);
  if (secret === undefined) return;
  process.stdout.write(`client_secret: ${secret.reveal()}\n`);
  process.stderr.write('The secret is shown this once: nobody can show it again.\n');
}

/** Registers an application; errors name the options that were typed. */
async function register(
  applications: Applications,
  values: ApplicationValues,
  workspace: string,
): Promise<NewApplication> {
  try {
    return await applications.add(values, workspace);
  } catch (thrown) {
    const { code, problems, hint } = asFoveaError(thrown);
    if (code !== 'invalid_input') throw thrown;
    const count = values.redirectUris.length;
    throw invalidInput(
      problems.map(({ path, message }) => ({ path: optionOf(path, count), message })),
      hint,
    );
  }
}

function optionOf(path: string, redirectUris: number): string {
  const [, index] = /^redirect_uris\[(\d+)\]$/.exec(path) ?? [];
  if (index !== undefined && redirectUris > 1) {
    return `--redirect-uri (${Number(index) + 1} of ${redirectUris})`;
  }
  if (path.startsWith('redirect_uris')) return '--redirect-uri';
  return path === 'scopes' ? '--scope' : path === 'workspace' ? path : `--${path}`;
}

/** Tokens for the service itself must not be exchanged by other applications. */
function refuseOwnOrigin({ resource }: ApplicationValues): void {
  const { publicUrl } = readSettings();
  if (resource === undefined || publicUrl === undefined) return;
  if (URL.parse(resource)?.origin !== new URL(publicUrl).origin) return;
  const right = 'Name the address of another MCP server.';
  throw invalidArgument('--resource', 'is at the address of this service itself', right);
}

async function listApplications(applications: Applications): Promise<void> {
  const rows = (await applications.list()).map(
    ({ id, name, authentication, visibility, workspace, redirectUris }) => [
      id,
      name,
      authentication,
      visibility,
      workspace,
      redirectUris.join(' '),
    ],
  );
  const head = ['CLIENT ID', 'NAME', 'AUTHENTICATION', 'VISIBILITY', 'WORKSPACE', 'REDIRECT URIS'];
  process.stdout.write(
    rows.length === 0
      ? 'There is no application. "fovea application add" registers one.\n'
      : table([head, ...rows]),
  );
}

async function removeApplication(applications: Applications, id: string): Promise<void> {
  if (!(await applications.remove(id))) {
    throw new FoveaError('not_found', `There is no application "${id}".`, {
      hint: 'fovea application list shows all.',
    });
  }
  process.stdout.write(`The application ${id} is gone, and all its sign-ins have ended.\n`);
}
