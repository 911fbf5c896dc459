// `fovea doctor`: the checklist of the doctor tool, for people and for programs.

import packageJson from '../../package.json' with { type: 'json' };
import type { Check } from '../../tools/doctor/check.ts';
import { diagnose } from '../../tools/doctor.ts';
import type { DoctorCommand } from '../commands.ts';
import { type Settings, surveySettings, withWorkspace } from '../config.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import { createLog } from '../log.ts';
import { readOnlyScope } from '../mcp/tool-call/pipeline.ts';
import { forPeople } from '../mcp/untrusted-text.ts';
import { prepareToolCalls } from './tool-calls.ts';

/** Exit code 0: all is well; 1: something is not. */
export async function runDoctor({ json, stored }: DoctorCommand): Promise<void> {
  const checks = await checksOf(stored);
  const healthy = checks.every(({ ok }) => ok);
  if (json) process.stdout.write(`${JSON.stringify({ healthy, checks }, null, 2)}\n`);
  else for (const check of checks) process.stdout.write(rowOf(check));
  if (!healthy) process.exitCode = 1;
}

/** A bad setting gets its default, so that the rest can be checked too. */
async function checksOf(stored: DoctorCommand['stored']): Promise<readonly Check[]> {
  const settings = await recognised(withWorkspace(surveySettings().settings));
  const found = [...(await examine(settings))];
  if (stored !== undefined) {
    const { checkStored } = await import('./check-stored.ts');
    found.push(await checkStored(settings, stored));
  }
  return found.map(({ detail, fix, advice, ...rest }) => ({
    ...rest,
    detail: forPeople(detail),
    ...(fix !== undefined && { fix: forPeople(fix) }),
    ...(advice !== undefined && { advice: forPeople(advice) }),
  }));
}

async function examine(settings: Settings): Promise<readonly Check[]> {
  const log = createLog(settings.logLevel);
  const calls = prepareToolCalls(settings, packageJson.version, log);
  try {
    const scope = readOnlyScope(new AbortController().signal);
    const context = await calls.options.makeContext(scope);
    return await diagnose({ ...context, pastCalls: async () => undefined });
  } finally {
    await calls.closeServices();
  }
}

/** Text from files and services may hold terminal escape sequences. */
function rowOf({ check, ok, detail, fix, advice }: Check): string {
  const lines = [`${ok ? 'ok ' : 'BAD'}  ${check.padEnd(12)}  ${detail}`];
  if (fix !== undefined) lines.push(`${' '.repeat(19)}-> ${fix}`);
  if (advice !== undefined) lines.push(`${' '.repeat(19)}advice: ${advice}`);
  return `${lines.map((line) => line.replace(/\p{C}+/gu, ' ')).join('\n')}\n`;
}
