// `fovea call` and `fovea tools`: the tools for people and scripts, as a host would use them.

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import list from '../../tools/list.json' with { type: 'json' };
import type { CallCommand, ToolsCommand } from '../commands.ts';
import { readSettings, type Settings, withWorkspace } from '../config.ts';
import { ownEnvironment } from '../environment.ts';
import { invalidArgument } from '../errors.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import { reaching } from '../mcp/instructions.ts';
import { meantOperation } from '../mcp/operation-search/word-synonyms.ts';
import { killSelf } from '../mcp/stdio/lifecycle.ts';
import { type Called, createCallTool, readOnlyScope } from '../mcp/tool-call/pipeline.ts';
import { checkToolsets, whyNotOffered } from '../mcp/tool-list.ts';
import { toolsListEntries } from '../mcp/tools-list-entries.ts';
import { prepareToolCalls } from './tool-calls.ts';

type Content = Called['result']['content'][number];

/** Prints the answer of one call. Exit code 0: it succeeded; 1: the answer is an error. */
export async function runCall(command: CallCommand, version: string): Promise<void> {
  endWhereNobodyReads();
  const settings = await recognised(settingsOfPeople());
  const args = await argumentsOf(command);
  requireTool(command.tool, settings);
  const calls = prepareToolCalls(settings, version, createLog(settings.logLevel));
  try {
    const { result, work } = await createCallTool(calls.options)(
      command.tool,
      args,
      {
        ...readOnlyScope(interrupted()),
        progress: showProgress,
        linksEnd: settings.baseUrl === undefined,
      },
      true,
    );
    const shown = command.json
      ? JSON.stringify(result.structuredContent ?? {}, null, 2)
      : (await Promise.all(result.content.map(textOf))).join('\n');
    process.stdout.write(`${shown}\n`);
    if (work !== undefined && settings.baseUrl === undefined) process.stderr.write(endsWithThis);
    if (result.isError) process.exitCode = 1;
  } finally {
    await calls.closeIdempotency();
    await calls.closeServices();
  }
}

/** Prints the tools that `fovea call` takes, or one with its arguments. */
export async function runTools({ name, json }: ToolsCommand): Promise<void> {
  endWhereNobodyReads();
  const settings = await recognised(settingsOfPeople());
  if (name !== undefined) requireTool(name, settings);
  const listed = toolsListEntries(list, settings);
  const reached = toolsListEntries(list, { ...settings, toolProfile: 'full' });
  const chosen =
    name === undefined
      ? listed
      : [...listed, ...reached].filter((tool) => tool.name === name).slice(0, 1);
  if (json) {
    const read = chosen.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    process.stdout.write(`${JSON.stringify(name === undefined ? read : read[0], null, 2)}\n`);
    return;
  }
  for (const tool of chosen) {
    const schema = name === undefined ? '' : `\n${JSON.stringify(tool.inputSchema, null, 2)}`;
    process.stdout.write(`${tool.name}\n  ${tool.description}${schema}\n`);
  }
  const others = name === undefined && reaching(listed.map((tool) => tool.name));
  if (others) process.stdout.write(`\n${others}\n`);
}

/** `fovea tools | head -1`: the reader has what it wants. */
function endWhereNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

/** People have no list to spare tokens for: without a setting they reach all tools by name. */
function settingsOfPeople(): Settings {
  const settings = withWorkspace(readSettings());
  checkToolsets(list, settings.toolsets);
  const isChosen = Boolean(ownEnvironment().FOVEA_TOOL_PROFILE);
  return isChosen ? settings : { ...settings, toolProfile: 'full' };
}

/** Throws `invalid_input` with the nearest name. */
function requireTool(name: string, settings: Settings): void {
  const known = list.find((tool) => tool.name === name);
  const why = known && whyNotOffered(known, { ...settings, toolProfile: 'full' });
  if (why !== undefined) throw invalidArgument('tool', `"${name}" is not offered: ${why}`);
  const names = toolsListEntries(list, settings).map((tool) => tool.name);
  if (names.includes(name) || known !== undefined) return;
  const near = meantOperation(name, names);
  const meant = near === undefined ? '' : `; did you mean "${near}"?`;
  throw invalidArgument('tool', `there is no tool "${name}"${meant}`, 'fovea tools lists them.');
}

async function argumentsOf({ input }: CallCommand): Promise<JsonObject> {
  const json = input === '-' ? await readAll(process.stdin) : input;
  if (json === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no JSON';
    throw invalidArgument('arguments', `must be JSON: ${why}`, example);
  }
  if (!isJsonObject(value)) throw invalidArgument('arguments', 'must be a JSON object', example);
  return value;
}

const example = `For example: fovea call projects_get '{"project": "cells"}'`;

/** What still waits for others after that, such as a slow object store, is ended hard. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort();
      setTimeout(killSelf, limits.callShutdownMsMax).unref();
    });
  }
  return controller.signal;
}

/** Only a person at a terminal watches. */
function showProgress(done: number, total: number | undefined, message: string): void {
  if (!process.stderr.isTTY) return;
  const of = total === undefined ? '' : ` of ${total}`;
  process.stderr.write(`${done}${of}: ${message.replace(/\p{C}+/gu, ' ')}\n`);
}

const endsWithThis =
  'fovea: The work goes on while fovea runs: `fovea call tasks_wait` sees it through. For a long ' +
  'training keep `fovea platform` running in another terminal.\n';

/** Control sequences of terminals may stand in what others wrote. */
async function textOf(content: Content): Promise<string> {
  if (content.type === 'text') return content.text.replace(/[^\P{C}\n\t]+/gu, ' ');
  if (content.type === 'image') return `[${content.mimeType}: ${await saveImage(content)}]`;
  return content.type === 'resource_link' ? content.uri : `[${content.type}]`;
}

/** A terminal shows no pictures: a file of the user's own does. */
async function saveImage({ data, mimeType }: Extract<Content, { type: 'image' }>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-picture-'));
  const path = join(folder, `picture.${mimeType.split('/').at(-1)?.replace(/\W/g, '') ?? 'jpeg'}`);
  await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 });
  return path;
}
