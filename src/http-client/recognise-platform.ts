// Whether a platform is one of ours, which serves more operations than others: it says so itself.

import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../config.ts';
import { isJsonObject, parsedJson } from '../json-object.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import { createProxyFetch } from './proxy-fetch.ts';

/**
 * The settings, with `isOurs` where they name a platform. Asks it once, without a credential, and
 * waits 5 s at most. One that does not answer is what it was when it answered last; undefined: it
 * never did.
 */
export async function recognised(settings: Settings): Promise<Settings> {
  const { baseUrl, proxies, home } = settings;
  if (baseUrl === undefined) return settings;
  const answer = await askPlatform(baseUrl, proxies);
  const note = noteOf(home, baseUrl);
  if (answer !== 'silent') {
    const isOurs = answer !== 'other';
    await (isOurs ? remember(note) : forget(note)).catch(() => undefined);
    return { ...settings, isOurs };
  }
  const isOurs = (await isThere(note)) || undefined;
  const counts = isOurs
    ? 'it counts as the fovea platform that answered there before'
    : 'what only a fovea platform can do is not offered before the next start';
  createLog(settings.logLevel).warn(`the platform at FOVEA_BASE_URL does not answer: ${counts}`);
  return { ...settings, isOurs };
}

/** An empty file for each platform of ours. */
function noteOf(home: string, url: string): string {
  return join(home, 'fovea-platforms', encodeURIComponent(url));
}

async function remember(note: string): Promise<void> {
  if (await isThere(note)) return;
  await mkdir(dirname(note), { recursive: true, mode: 0o700 });
  await writeFile(note, '', { mode: 0o600 });
}

function forget(note: string): Promise<void> {
  return rm(note, { force: true });
}

function isThere(note: string): Promise<boolean> {
  return access(note).then(
    () => true,
    () => false,
  );
}

/** What a platform of ours says of itself; `other` for what else answers, `silent` for nothing. */
export async function askPlatform(
  url: string,
  proxies: Settings['proxies'],
): Promise<{ readonly instance: unknown } | 'other' | 'silent'> {
  try {
    const answer = await createProxyFetch(proxies)(`${url}/health`, {
      method: 'GET',
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(limits.recognitionMsMax),
    });
    const said = parsedJson(await beginningOf(answer));
    if (isJsonObject(said) && said.platform === 'fovea') return { instance: said.instance };
    // What stands before it answers for a platform that is away.
    return answer.status >= 500 ? 'silent' : 'other';
  } catch {
    return 'silent';
  }
}

/** Empty where there is more: that is no line of ours. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limits.recognitionBytesMax) return '';
  }
  return text;
}
