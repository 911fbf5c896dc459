// Errors of a proxy: they name the proxy and its setting, and no credential.

import { isUntrustedCertificate } from './certificate-errors.ts';
import type { HttpProxy } from './proxies.ts';

/** Why a proxy made no connection: its status, an error code of the system, or silence. */
export type ProxyTrouble =
  | { readonly status: number }
  | { readonly reason: string }
  | { readonly silentMs: number };

/** A request was not sent because of a proxy. The message ends a sentence, without full stop. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'ERR_PROXY';
  readonly hint: string;
  /** Whether another attempt may succeed. Nothing was sent. */
  readonly isTemporary: boolean;

  constructor(proxy: HttpProxy, target: string, trouble: ProxyTrouble) {
    const { what, hint, isTemporary = false } = explain(proxy, target, trouble);
    super(`the proxy ${proxy.host} (${proxy.setting}) ${what}`);
    this.hint = hint;
    this.isTemporary = isTemporary;
  }
}

/** The ProxyError among the causes of an error, if any. */
export function asProxyError(thrown: unknown): ProxyError | undefined {
  if (thrown instanceof ProxyError) return thrown;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof ProxyError ? cause : undefined;
}

interface Explained {
  readonly what: string;
  readonly hint: string;
  readonly isTemporary?: boolean;
}

function explain(proxy: HttpProxy, target: string, trouble: ProxyTrouble): Explained {
  const { setting } = proxy;
  const around = 'NO_PROXY names hosts that are reached without it.';
  if ('silentMs' in trouble) {
    const what = `gave no connection to ${target} within ${trouble.silentMs / 1_000} s`;
    return { what, hint: `Check that ${setting} is its address. ${around}`, isTemporary: true };
  }
  if ('reason' in trouble) {
    const { reason } = trouble;
    const what = `could not be reached${reason && ` (${reason})`}`;
    if (isUntrustedCertificate(reason)) {
      return { what, hint: 'Name the file of its certificate in NODE_EXTRA_CA_CERTS.' };
    }
    return { what, hint: `Check that ${setting} is its address. ${around}`, isTemporary: true };
  }
  const { status } = trouble;
  if (status === 407) return refusedCredential(proxy);
  if (status >= 500) {
    const what = `could not reach ${target}: it answered ${status}`;
    return { what, hint: `Check the address of the service. ${around}`, isTemporary: true };
  }
  const what = `did not let the connection to ${target} through: it answered ${status}`;
  return { what, hint: `Ask who runs the proxy to allow it. ${around}` };
}

function refusedCredential({ setting, authorization }: HttpProxy): Explained {
  if (authorization !== undefined) {
    const what = 'refused the user name and password: it answered 407';
    return { what, hint: `Correct them in ${setting}; special characters percent-encoded.` };
  }
  const what = 'asks for a user name and a password: it answered 407';
  return { what, hint: `Put them into ${setting}, as in http://user:password@host:port.` };
}
