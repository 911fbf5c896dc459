// `fovea platform`: the embedded platform and its sign-in service, as a service of their own.

import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../commands.ts';
import { localWorkspace, readSettings, type Settings } from '../config.ts';
import type { Service } from '../http-server/serve.ts';
import { limits } from '../limits.ts';
import { createLog, type Log } from '../log.ts';
import { startPlatform } from '../platform/platform.ts';
import { type MountedSignIn, mountSignIn, warnOfPlainText } from './authorization-server.ts';
import { platformOptions } from './platform-options.ts';
import { noticeNewPlatform, prepareDataFolder } from './prepare-data-folder.ts';
import { runService } from './run-service.ts';
import { leavePageAddress } from './served-page.ts';

/** Serves until SIGTERM or SIGINT. Prints the URL on stdout once it answers. */
export async function runPlatform(command: ServiceCommand): Promise<void> {
  const settings = readSettings();
  const log = createLog(settings.logLevel).part('platform');
  const service = await servePlatform(command, settings, log);
  runService(service);
}

/** All of it but the process. Throws as startPlatform and mountSignIn do. */
export async function servePlatform(
  command: Omit<ServiceCommand, 'kind'>,
  settings: Settings,
  log: Log,
): Promise<Service> {
  const data = prepareDataFolder(command.data, settings.home, 'platform');
  const warnIfNew = noticeNewPlatform(data, settings, log);
  const workspace = settings.workspace ?? localWorkspace;
  const signIn = await mountSignIn({
    data,
    databaseUrl: settings.databaseUrl,
    workspace,
    host: command.host,
    publicUrl: settings.publicUrl,
    platformPage: '/',
    log,
    clock: systemClock,
  });
  const service = await start(command, settings, { data, workspace, signIn, log }).catch(
    async (thrown) => {
      await signIn?.close();
      throw thrown;
    },
  );
  const takeAway = await leavePageAddress(data, settings.publicUrl ?? service.url);
  warnIfNew();
  warnOfPlainText(command.host, settings.publicUrl, log);
  warnOfMissing(settings, signIn, log);
  return {
    url: service.url,
    close: async () => {
      await takeAway();
      await service.close();
      await signIn?.close();
    },
  };
}

interface PlatformServiceOptions {
  readonly data: string;
  readonly workspace: string;
  readonly signIn: MountedSignIn | undefined;
  readonly log: Log;
}

function start(
  { host, port }: Pick<ServiceCommand, 'host' | 'port'>,
  settings: Settings,
  parts: PlatformServiceOptions,
): Promise<Service> {
  const { signIn, ...rest } = parts;
  const { publicUrl, trustedProxies, apiKey } = settings;
  return startPlatform({
    ...rest,
    host,
    port,
    trustedProxies,
    clock: systemClock,
    ...platformOptions(settings, limits.rateLimitPerMinute),
    keys: apiKey === undefined ? [] : [apiKey],
    ...(publicUrl !== undefined && { publicUrl }),
    ...(signIn && {
      routes: signIn.routes,
      onListening: signIn.onListening,
      verifyAccessToken: signIn.verify,
      issuer: signIn.issuer,
      people: signIn.people,
      tellSignIns: signIn.tellSignIns,
      checkSignIn: signIn.checkTables,
      pageSignsInAt: signIn.issuer,
    }),
  });
}

/** Warns at the start, since a 401 would not explain why nothing works. */
function warnOfMissing({ apiKey }: Settings, signIn: MountedSignIn | undefined, log: Log): void {
  if (signIn === undefined) {
    log.warn(
      'Sign-in is off: passwords and tokens would travel in plain text. Set FOVEA_PUBLIC_URL to the https address of a proxy before it.',
    );
  }
  if (apiKey !== undefined) return;
  log.warn(
    signIn === undefined
      ? 'FOVEA_API_KEY is not set: the platform accepts no key.'
      : 'FOVEA_API_KEY is not set: callers need an access token, or a key that was made here. Add people who may sign in with `fovea account add`.',
  );
}
