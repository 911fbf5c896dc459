// Checks of the model and the trainer that users give to the embedded platform.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { asFoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { PythonTrainerState } from '../../src/setup/machine-diagnostics.ts';
import { asGiven, fileSize, quoted } from '../format.ts';
import type { Finding } from './check.ts';

export async function checkModel({ settings }: ToolContext): Promise<Finding> {
  const { model, baseUrl } = settings;
  if (model === undefined) return { ok: true, detail: 'FOVEA_MODEL names none.' };
  if (baseUrl !== undefined) return unused('FOVEA_MODEL');
  const fix = 'Let FOVEA_MODEL name an ONNX file that is there, or unset it.';
  const wrong = await troubleOf(model, constants.R_OK, 'read');
  if (wrong !== undefined) return { ok: false, detail: `${asGiven(model)} ${wrong}.`, fix };
  const { size } = await stat(model);
  if (size === 0 || size > limits.modelBytesMax) {
    const detail = size === 0 ? 'is empty' : `is too large: ${fileSize(size)}`;
    return { ok: false, detail: `${asGiven(model)} ${detail}.`, fix };
  }
  return { ok: true, detail: `${asGiven(model)}, ${fileSize(size)}.` };
}

export async function checkEmbedder({ settings, machine }: ToolContext): Promise<Finding> {
  const { embedder, baseUrl } = settings;
  if (embedder === undefined) return { ok: true, detail: 'FOVEA_EMBEDDER names none.' };
  if (baseUrl !== undefined) return unused('FOVEA_EMBEDDER');
  try {
    const { name, bytes } = await (await machine()).embedder(embedder);
    return { ok: true, detail: `${quoted(name)} in ${asGiven(embedder)}, ${fileSize(bytes)}.` };
  } catch (thrown) {
    const { message, hint } = asFoveaError(thrown);
    return { ok: false, detail: `${asGiven(embedder)}: ${message}.`, fix: hint ?? 'Unset it.' };
  }
}

export async function checkTrainer({ settings, machine }: ToolContext): Promise<Finding> {
  const { trainer, baseUrl } = settings;
  if (trainer === undefined) return { ok: true, detail: 'FOVEA_TRAINER names none.' };
  if (baseUrl !== undefined) return unused('FOVEA_TRAINER');
  // The settings take a path, or the name of one that comes along.
  if (!isAbsolute(trainer)) {
    return pythonTrainer(trainer, await (await machine()).pythonTrainer(trainer));
  }
  const wrong = await troubleOf(trainer, constants.X_OK, 'run');
  if (wrong === undefined) return { ok: true, detail: `${asGiven(trainer)} can be run.` };
  const fix = 'Let FOVEA_TRAINER name a program that may be run, or unset it.';
  return { ok: false, detail: `${asGiven(trainer)} ${wrong}.`, fix };
}

function pythonTrainer(name: string, found: PythonTrainerState): Finding {
  const install = `fovea trainer install ${name}`;
  if (found.state === 'absent') {
    return { ok: false, detail: `${asGiven(name)} is not installed.`, fix: `Run ${install}.` };
  }
  if (found.state === 'broken') {
    const detail = `${asGiven(name)} does not run: ${quoted(found.words)}.`;
    return { ok: false, detail, fix: `Run ${install} again.` };
  }
  const { versions, licence } = found;
  return { ok: true, detail: `${asGiven(name)} (${licence}): ${quoted(versions.join(', '))}.` };
}

function unused(variable: string): Finding {
  const detail = `${variable} is set, and has no use beside FOVEA_BASE_URL.`;
  return { ok: true, detail, advice: 'Only the embedded platform reads it.' };
}

/** Why a file cannot be used: ends a sentence that begins with it. */
async function troubleOf(path: string, mode: number, verb: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return 'is not there';
  if (!facts.isFile()) return 'is no file';
  return access(path, mode).then(
    () => undefined,
    () => `cannot be ${verb}`,
  );
}
