// The proxies to other machines, as settings.

import type { Parser, VariableReader } from '../parsed-setting.ts';
import { Secret } from '../secret.ts';
import type { HttpProxy, Proxies } from './proxies.ts';

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, as curl reads them. */
export function readProxies(reader: VariableReader): Proxies | undefined {
  const { environment } = reader;
  // Lower case wins, also if it is empty, which means no proxy.
  const spelled = (small: string) =>
    environment[small] === undefined ? small.toUpperCase() : small;
  const read = (setting: string) => {
    const found = reader.read(setting, usableProxy, undefined);
    return found && { ...found, setting };
  };
  const http = read(spelled('http_proxy'));
  const https = read(spelled('https_proxy'));
  const except = reader.read(spelled('no_proxy'), hostsWithoutProxy, []);
  return http || https ? { http, https, except } : undefined;
}

/** Never repeats the value: it may hold a password. */
const proxy: Parser<Omit<HttpProxy, 'setting'>> = (text) => {
  const parsed = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (parsed && /^socks/.test(parsed.protocol)) {
    return { wrong: 'must be an http or https proxy: SOCKS is not supported' };
  }
  const isProxy = parsed && /^https?:$/.test(parsed.protocol);
  // A "/", "?" or "#" of a password that is not encoded would begin the path, and end the host.
  if (!isProxy || `${parsed.pathname}${parsed.search}${parsed.hash}` !== '/') {
    return {
      wrong:
        'must be the http or https URL of a proxy, for example http://proxy.example.com:8080, ' +
        'with a password percent-encoded',
    };
  }
  const { origin, hostname, port, protocol } = parsed;
  const host = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  const authorization = proxyAuthorization(parsed);
  return authorization === null
    ? { wrong: 'must have its user name and password percent-encoded' }
    : { value: { origin, host, authorization } };
};

/** An unusable proxy is refused only when it is needed. */
const usableProxy: Parser<Omit<HttpProxy, 'setting'>> = (text) => {
  const parsed = proxy(text);
  if ('value' in parsed) return parsed;
  return { value: { origin: '', host: '', authorization: undefined, wrong: parsed.wrong } };
};

/** RFC 7617; undefined: without credentials; null: they cannot be decoded. */
function proxyAuthorization({ username, password }: URL): Secret | undefined | null {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return new Secret(`Basic ${Buffer.from(pair).toString('base64')}`);
  } catch {
    return null;
  }
}

/** Invalid entries match nothing, as in other programs; of a URL, its host is meant. */
const hostsWithoutProxy: Parser<readonly string[]> = (text) => {
  const list = text.split(/[\s,]+/).filter((part) => part !== '');
  return {
    value: list.map((part) => (part.includes('://') ? (URL.parse(part)?.host ?? '') : part)),
  };
};
