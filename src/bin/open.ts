// `fovea open`: shows in the browser what was made, on the embedded platform of this process. The
// link that signs in works once, and reaches the browser through a private file. Of the platform at
// FOVEA_BASE_URL the page is opened, where people sign in themselves.

import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lastPart } from '../../tools/format.ts';
import { systemClock } from '../clock.ts';
import type { OpenCommand } from '../commands.ts';
import { localWorkspace, readSettings, type Settings } from '../config.ts';
import { annotation } from '../contract/annotation.ts';
import { jobPage, projectPage } from '../contract/page-addresses.ts';
import { projects } from '../contract/projects.ts';
import { workspace as workspaces } from '../contract/workspace.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Client } from '../http-client/client.ts';
import { createClient } from '../http-client/create-client.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import { createOneUseSignIn } from '../platform/one-use-sign-in.ts';
import { Secret } from '../secret.ts';
import { createBrowser, openFile } from '../sign-in/open-browser.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { startEmbedded } from './embedded-platform.ts';
import { findServedPage } from './served-page.ts';

/** Serves until SIGTERM or SIGINT. */
export async function runOpen({ what }: OpenCommand): Promise<void> {
  const settings = await recognised(readSettings());
  if (settings.baseUrl !== undefined) return openPage(settings.baseUrl, what, settings);
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
    const { view, asked } = await viewOf(what, settings.workspace ?? localWorkspace, client);
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
    const note = (await noteOfReview(view, asked, settings)).replace(/[^\P{C}\n]+/gu, ' ');
    process.stdout.write(
      `${where}\nIt shows ${view}. The link works once, within a minute. Ctrl+C ends.\n${note}`,
    );
    removal = setTimeout(() => removeFile(file), limits.oneUseLinkMs).unref();
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Throws `not_implemented` where no platform of ours answers: others have other pages. */
function openPage(url: string, what: string | undefined, { isOurs, noBrowser }: Settings): void {
  if (!isOurs) {
    const message = 'No fovea platform answers at FOVEA_BASE_URL, so its pages are not known.';
    throw new FoveaError('not_implemented', message, {
      hint: 'Open the pages of that service in a browser, or correct FOVEA_BASE_URL.',
    });
  }
  const link = `${url}/#${pageOf(what)}`;
  const isOpened = createBrowser(noBrowser)(link);
  process.stdout.write(`${link}\n${isOpened ? 'The browser opens it: sign' : 'Sign'} in there.\n`);
}

/** What the page shows for `what`, which it looks for itself: nobody is signed in yet. */
function pageOf(what: string | undefined): string {
  if (what === undefined || views.includes(what)) return what ?? 'projects';
  const [slug = '', part, jobId] = what.replace(/\/$/, '').split('/');
  if (part === undefined) return projectPage(slug);
  return part === 'review' && jobId !== undefined
    ? jobPage(slug, jobId)
    : `${projectPage(slug)}/versions`;
}

/** Whose decisions they become, where somebody else was asked; empty: nobody by name. */
async function noteOfReview(
  view: string,
  asked: string | undefined,
  settings: Settings,
): Promise<string> {
  if (asked === undefined) return '';
  const page = await findServedPage(join(settings.home, 'platform'));
  const better =
    page === undefined
      ? 'For their own name, run fovea platform, and let them sign in at its address.'
      : `For their own name, let them sign in at ${page}/#${view}`;
  return `${asked} was asked. Decisions made here are by "the page of fovea open". ${better}\n`;
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

/** `view`: the part of the page's address after `#`. `asked`: who is to review it. */
interface Shown {
  readonly view: string;
  readonly asked?: string | undefined;
}

async function viewOf(what: string | undefined, workspace: string, client: Client): Promise<Shown> {
  if (what !== undefined && views.includes(what)) return { view: what };
  const { body } = await client.call(workspaces.workspace_get, { workspace });
  const slugs = body.workspace.projects.map(({ id }) => lastPart(id));
  if (what === undefined) {
    return { view: await latestView(body.workspace.projects, workspace, client) };
  }
  const [slug = '', version, jobId] = what.replace(/\/$/, '').split('/');
  if (!slugs.includes(slug)) {
    const near = suggestSpelling(slug, [...slugs, ...views]);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    throw invalidArgument('open', `there is no project "${slug}"${meant}`, 'fovea open shows all.');
  }
  if (version === undefined) return { view: projectPage(slug) };
  if (version === 'review' && jobId !== undefined) return reviewOf(slug, jobId, workspace, client);
  const project = (await client.call(projects.projects_get, { workspace, project: slug })).body;
  const ids = project.versions.map(({ id }) => lastPart(id));
  if (ids.includes(version)) return { view: `${projectPage(slug)}/versions` };
  const known = ids.length === 0 ? 'it has none' : `it has ${ids.slice(0, 20).join(', ')}`;
  throw invalidArgument('open', `there is no version "${version}" of "${slug}"; ${known}`);
}

/** The first image of an annotation job that nobody has decided about. */
async function reviewOf(
  project: string,
  jobId: string,
  workspace: string,
  client: Client,
): Promise<Shown> {
  const { body } = await client.call(annotation.annotation_jobs_get, { workspace, project, jobId });
  return { view: jobPage(project, jobId), asked: body.reviewer ?? body.labeler };
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
      { time: made, view: `${projectPage(slug)}/versions` },
      { time: changed(project), view: projectPage(slug) },
    ];
    for (const one of found) if (one.time > latest.time) latest = one;
  }
  return latest.view;
}
