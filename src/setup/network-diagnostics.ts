// How traffic leaves this machine, and whether its clock agrees with a service.

import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { NetworkFindings } from './machine-diagnostics.ts';
import type { SystemEnvironment } from './system-environment.ts';

/** The part of `fetch` that is used; another implementation may use a proxy. */
type Fetch = (
  url: string,
  init: { readonly method: 'HEAD'; readonly redirect: 'manual'; readonly signal: AbortSignal },
) => Promise<Response>;

const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

export async function findNetwork({
  environment,
}: SystemEnvironment): Promise<Omit<NetworkFindings, 'through'>> {
  const names = Object.keys(environment).filter((name) => environment[name]?.trim());
  return {
    proxies: names.filter((name) => proxyVariables.includes(name.toUpperCase())).toSorted(),
    hasExtraCertificates: await hasCertificates(environment.NODE_EXTRA_CA_CERTS),
    checksCertificates: environment.NODE_TLS_REJECT_UNAUTHORIZED !== '0',
  };
}

/** Node goes on without a word where the file is missing. */
async function hasCertificates(path: string | undefined): Promise<boolean | undefined> {
  if (!path) return undefined;
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.includes('-----BEGIN CERTIFICATE-----');
}

/**
 * By how much the clock of a service is ahead of ours, in ms, from the Date of its answer, which
 * has whole seconds. Undefined: it has no Date. Throws where the service does not answer.
 */
export async function clockOffsetMs(
  url: string,
  clock: Clock,
  signal: AbortSignal,
  through: Fetch = fetch,
): Promise<number | undefined> {
  const sent = clock.now();
  const { headers } = await through(url, { method: 'HEAD', redirect: 'manual', signal });
  const between = (sent + clock.now()) / 2;
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date + 500 - between;
}
