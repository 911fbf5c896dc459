// Whether a platform is one of ours, which serves more operations than others: it says so itself.

import type { Settings } from '../config.ts';
import { isJsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { createProxyFetch } from './proxy-fetch.ts';

/**
 * The settings, with `isOurs` where they name a platform. Asks it once, without a credential, and
 * waits 5 s at most: a platform that does not answer counts as another's.
 */
export async function recognised(settings: Settings): Promise<Settings> {
  const { baseUrl, proxies } = settings;
  if (baseUrl === undefined) return settings;
  return { ...settings, isOurs: (await askPlatform(baseUrl, proxies)) !== undefined };
}

/** What a platform of ours says of itself; undefined: there is none, or it does not answer. */
export async function askPlatform(
  url: string,
  proxies: Settings['proxies'],
): Promise<{ readonly instance: unknown } | undefined> {
  try {
    const answer = await createProxyFetch(proxies)(`${url}/health`, {
      method: 'GET',
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(limits.recognitionMsMax),
    });
    const said: unknown = JSON.parse(await beginningOf(answer));
    if (!isJsonObject(said) || said.platform !== 'fovea') return undefined;
    return { instance: said.instance };
  } catch {
    return undefined;
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
