// `fovea open`: shows in the browser what was made, on the embedded platform of this process. The
// link that signs in works once, and reaches the browser through a private file.

import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lastPart } from '../../tools/format.ts';
import { systemClock } from '../clock.ts';
import type { OpenCommand } from '../commands.ts';
import { localWorkspace, readSettings, type Settings } from '../config.ts';
import { annotation } from '../contract/annotation.ts';
import { projects } from '../contract/projects.ts';
import { workspace as workspaces } from '../contract/workspace.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Client } from '../http-client/client.ts';
import { createClient } from '../http-client/create-client.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import { createOneUseSignIn } from '../platform/one-use-sign-in.ts';
import { Secret } from '../secret.ts';
import { openFile } from '../sign-in/open-browser.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { startEmbedded } from './embedded-platform.ts';

/** Serves until SIGTERM or SIGINT. */
export async function runOpen({ what }: OpenCommand): Promise<void> {
  const settings = readSettings();
  refuseOthers(settings);
  const key = new Secret(randomBytes(32).toString('base64url'));
  const signIn = createOneUseSignIn(systemClock, key);
  const page = { key, route: signIn.route };
  const { service, upstream } = await startEmbedded(settings, createLog(settings.logLevel), page);
  const upstreams = { base: async () => upstream, device: async () => upstream };
  const client = createClient({ upstreams, clock: systemClock, timeoutMs: settings.timeoutMs });
  const close = async () => {
    await client.close();
    await service.close();
  };
  try {
    const view = await viewOf(what, settings.workspace ?? localWorkspace, client);
    const code = signIn.makeCode().reveal();
    const link = `${service.url}/#sign-in=${code}&view=${encodeURIComponent(view)}`;
    const showing = Promise.withResolvers<string | undefined>();
    let removal: NodeJS.Timeout | undefined;
    // Before there is a file: whoever stops it then leaves none either.
    const stop = async () => {
      clearTimeout(removal);
      await removeFile(await showing.promise);
      await close().finally(() => process.exit());
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    const file = await showLink(link, settings);
    showing.resolve(file);
    const where = file === undefined ? link : `${service.url}`;
    process.stdout.write(
      `${where}\nIt shows ${view}. The link works once, within a minute. Ctrl+C ends.\n`,
    );
    removal = setTimeout(() => removeFile(file), limits.oneUseLinkMs).unref();
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function refuseOthers({ baseUrl }: Settings): void {
  if (baseUrl === undefined) return;
  const message = 'fovea open shows the embedded platform; FOVEA_BASE_URL names another service.';
  throw new FoveaError('not_implemented', message, {
    hint: 'Open the page of that service: a fovea platform asks for a sign-in or an API key.',
  });
}

/** Undefined: there is no browser here, or none is wanted. */
async function showLink(link: string, { home, noBrowser }: Settings): Promise<string | undefined> {
  if (noBrowser) return undefined;
  const folder = join(home, 'open');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomBytes(8).toString('hex')}.html`);
  await writeFile(path, pageTo(link), { mode: 0o600, flag: 'wx' });
  if (openFile(pathToFileURL(path).href, noBrowser)) return path;
  await removeFile(path);
  return undefined;
}

async function removeFile(path: string | undefined): Promise<void> {
  if (path !== undefined) await rm(path, { force: true });
}

/** Leads on at once; all of the link is plain text for HTML but the &. */
function pageTo(link: string): string {
  const address = link.replaceAll('&', '&amp;');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Fovea</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
}

const views: readonly string[] = ['projects', 'tasks', 'folders', 'trash'];

/** What the page shows for `what`, as the part of its address after `#`. */
async function viewOf(
  what: string | undefined,
  workspace: string,
  client: Client,
): Promise<string> {
  if (what !== undefined && views.includes(what)) return what;
  const { body } = await client.call(workspaces.workspace_get, { workspace });
  const slugs = body.workspace.projects.map(({ id }) => lastPart(id));
  if (what === undefined) return latestView(body.workspace.projects, workspace, client);
  const [slug = '', version, jobId] = what.replace(/\/$/, '').split('/');
  if (!slugs.includes(slug)) {
    const near = suggestSpelling(slug, [...slugs, ...views]);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    throw invalidArgument('open', `there is no project "${slug}"${meant}`, 'fovea open shows all.');
  }
  if (version === undefined) return placeOf(slug);
  if (version === 'review' && jobId !== undefined) return reviewOf(slug, jobId, workspace, client);
  const project = (await client.call(projects.projects_get, { workspace, project: slug })).body;
  const ids = project.versions.map(({ id }) => lastPart(id));
  if (ids.includes(version)) return `${placeOf(slug)}/versions`;
  const known = ids.length === 0 ? 'it has none' : `it has ${ids.slice(0, 20).join(', ')}`;
  throw invalidArgument('open', `there is no version "${version}" of "${slug}"; ${known}`);
}

/** The first image of an annotation job that nobody has decided about. */
async function reviewOf(
  slug: string,
  jobId: string,
  workspace: string,
  client: Client,
): Promise<string> {
  await client.call(annotation.annotation_jobs_get, { workspace, project: slug, jobId });
  return `${placeOf(slug)}/annotate/?job=${encodeURIComponent(jobId)}`;
}

function placeOf(slug: string): string {
  return `project/${encodeURIComponent(slug)}`;
}

/** Of the projects that changed last, to be asked for their versions. */
const askedMax = 50;

type Projects = readonly {
  readonly id: string;
  readonly created?: number | undefined;
  readonly updated?: number | undefined;
}[];

/** The version or project that was made or changed last. */
async function latestView(all: Projects, workspace: string, client: Client): Promise<string> {
  const changed = ({ created = 0, updated = 0 }: Projects[number]) => Math.max(created, updated);
  const recent = all.toSorted((a, b) => changed(b) - changed(a)).slice(0, askedMax);
  let latest = { time: Number.NEGATIVE_INFINITY, view: 'projects' };
  for (const project of recent) {
    const slug = lastPart(project.id);
    const { body } = await client.call(projects.projects_get, { workspace, project: slug });
    const made = Math.max(0, ...body.versions.map(({ created = 0 }) => created));
    // A version changes its project: at the same time the version is what was made.
    const found = [
      { time: made, view: `${placeOf(slug)}/versions` },
      { time: changed(project), view: placeOf(slug) },
    ];
    for (const one of found) if (one.time > latest.time) latest = one;
  }
  return latest.view;
}
