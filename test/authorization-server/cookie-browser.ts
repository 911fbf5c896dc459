// A browser as small as the judges need: cookies by path, forms, redirects inside the service.

import { expect } from 'vitest';

/** An answer, and where it came from. */
export interface Visit {
  readonly address: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where a redirect or a page that goes on by itself leads; undefined: nowhere. */
  readonly onward: URL | undefined;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

export interface Browser {
  readonly cookies: ReadonlyMap<string, Cookie>;
  /** One request with the cookies of this browser. Redirects are not followed. */
  go(address: string | URL, options?: RequestInit): Promise<Visit>;
  /** Sends the form of a page with its own values and these changes; undefined leaves one out. */
  submit(page: Visit, values: Readonly<Record<string, string | undefined>>): Promise<Visit>;
  /** Goes to an address, and on while it stays in the service; ends at a page or outside. */
  walk(address: string | URL): Promise<Visit>;
  /** Walks, signs in and consents as it is asked to; the address to which the browser leaves. */
  agree(address: string | URL, person: Person): Promise<URL>;
}

export interface Person {
  readonly name: string;
  readonly password: string;
  /** The one to choose; the first on the page unless given. */
  readonly workspace?: string;
}

export function openCookieBrowser(origin: string): Browser {
  const cookies = new Map<string, Cookie>();
  const go = async (address: string | URL, options: RequestInit = {}): Promise<Visit> => {
    const url = new URL(address, origin);
    const headers = new Headers(options.headers);
    const sent = [...cookies].filter(([, { path }]) => matches(url.pathname, path));
    if (sent.length > 0) {
      headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '));
    }
    const answer = await fetch(url, { ...options, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) keep(cookies, line);
    const text = await answer.text();
    const { status } = answer;
    return {
      address: url,
      status,
      headers: answer.headers,
      text,
      onward: onwardOf(answer, text, url),
    };
  };
  const walk = async (address: string | URL): Promise<Visit> => {
    let visit = await go(address);
    for (let step = 0; visit.onward?.origin === origin; step += 1) {
      if (step > 10) throw new Error(`no end at ${visit.address}`);
      visit = await go(visit.onward);
    }
    return visit;
  };
  const submit: Browser['submit'] = (page, values) => {
    const { action, fields } = formOf(page);
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...fields, ...values })) {
      if (value !== undefined) body.append(name, value);
    }
    return go(action, { method: 'POST', body, headers: { origin } });
  };
  const agree: Browser['agree'] = async (address, person) => {
    let visit = await walk(address);
    for (let step = 0; visit.onward === undefined; step += 1) {
      expect([step < 4, visit.status, visit.text]).toEqual([true, 200, visit.text]);
      const asksPassword = visit.text.includes('name="password"');
      const { name, password, workspace } = person;
      const choice = workspace === undefined ? {} : { workspace };
      const answered = await submit(
        visit,
        asksPassword ? { name, password } : { decision: 'allow', ...choice },
      );
      visit = answered.onward?.origin === origin ? await walk(answered.onward) : answered;
    }
    return visit.onward;
  };
  return { cookies, go, submit, walk, agree };
}

/** The one form of a page: where it goes, and the values that it has. */
export function formOf({ text, address }: Visit) {
  const [, form = '', inside = ''] =
    /<form method="post"([^>]*)>([\s\S]*?)<\/form>/.exec(text) ?? [];
  const fields: Record<string, string> = {};
  for (const [tag] of inside.matchAll(/<input\b[^>]*>/g)) {
    const { name, value = '', type } = attributes(tag);
    const isChoice = type === 'checkbox' || (type === 'radio' && name && name in fields);
    if (name !== undefined && !isChoice) fields[name] = value;
  }
  return { action: new URL(attributes(form).action ?? '', address), fields };
}

function attributes(tag: string): Readonly<Record<string, string>> {
  const found = [...tag.matchAll(/([\w-]+)="([^"]*)"/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');
}

function onwardOf({ headers }: Response, text: string, from: URL): URL | undefined {
  const [, meta] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text) ?? [];
  const location = headers.get('location') ?? (meta === undefined ? undefined : unescaped(meta));
  return location === undefined ? undefined : new URL(location, from);
}

/** RFC 6265 section 5.1.4. */
function matches(path: string, cookiePath: string): boolean {
  if (path === cookiePath) return true;
  return path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}

function keep(cookies: Map<string, Cookie>, line: string): void {
  const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const path = rest.find((part) => /^path=/i.test(part))?.slice('path='.length) ?? '/';
  const expires = rest.find((part) => /^expires=/i.test(part))?.slice('expires='.length);
  if (expires !== undefined && Date.parse(expires) <= Date.now()) cookies.delete(name);
  else cookies.set(name, { value, path });
}
