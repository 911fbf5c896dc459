// The sign-in service: forms, tokens and passwords of strangers.

import { formOf, openFormBrowser } from '../../test/fixtures/form-browser.ts';
import { type Attack, single, type Target } from './attack.ts';
import { repeated } from './dense-bodies.ts';
import type { Request } from './raw-request.ts';

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

const post = (
  path: string,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Request => ({
  path,
  body,
  key: '',
  headers: { ...formType, ...more },
});

const paths = ['/oauth/token', '/oauth/revoke', '/oauth/userinfo', '/settings/sign-in'] as const;

/** Many at once: each may be dear. */
function crowd(name: string, count: number, make: (target: Target, at: number) => Request): Attack {
  return {
    name: `sign-in: ${name}`,
    target: 'platform',
    restarts: true,
    prepare: async (target) => () =>
      Promise.all(repeated(count, (at) => target.send(make(target, at)))),
  };
}

export const oauthAttacks: readonly Attack[] = [
  ...paths.flatMap((path) => [
    single('platform', `sign-in: ${path} with a form of 16 KB`, () =>
      post(path, 'a=b&'.repeat(4_000)),
    ),
    single('platform', `sign-in: ${path} with a form of 20 MB`, () =>
      post(path, `a=${'b'.repeat(20_000_000)}`),
    ),
    single('platform', `sign-in: ${path} with JSON`, () => ({
      path,
      body: '[0]',
      key: '',
      headers: { 'content-type': 'application/json' },
    })),
  ]),
  single('platform', 'sign-in: authorize with 14 KB of scopes', () => ({
    path: `/oauth/authorize?client_id=a&scope=${'openid+'.repeat(2_000)}`,
  })),
  single('platform', 'sign-in: authorize with 3,000 parameters', () => ({
    path: `/oauth/authorize?${'a=b&'.repeat(3_500)}`,
  })),
  single('platform', 'sign-in: 15 KB of cookies', () => ({
    path: '/oauth/authorize?client_id=a',
    headers: { cookie: '_interaction=a; '.repeat(950) },
  })),
  crowd('60 clients at addresses of this machine', 60, (_, at) => ({
    path: `/oauth/authorize?client_id=${encodeURIComponent(`https://127.0.0.1:1/client${at}`)}`,
  })),
  crowd('300 codes that nobody gave', 300, (_, at) =>
    post('/oauth/token', `grant_type=authorization_code&client_id=a&code=code${at}`),
  ),
  crowd('300 refresh tokens that nobody gave', 300, (_, at) =>
    post('/oauth/token', `grant_type=refresh_token&client_id=a&refresh_token=token${at}`),
  ),
  crowd('300 tokens to revoke', 300, (_, at) =>
    post('/oauth/revoke', `client_id=a&token=token${at}`),
  ),
  crowd('60 garbage tokens at validate', 60, (_, at) => ({
    path: '/oauth/validate',
    key: `token${at}`,
  })),
  {
    name: 'sign-in: 40 wrong passwords at once',
    target: 'platform',
    restarts: true,
    prepare: async (target) => {
      const forms = await Promise.all(repeated(40, (at) => passwordForm(target, at)));
      return () => Promise.all(forms.map((request) => target.send(request)));
    },
  },
];

/** The form of the page, filled in by a browser that has its cookie. */
async function passwordForm({ url }: Target, at: number): Promise<Request> {
  const browser = openFormBrowser();
  const page = await browser.get(`${url}/settings/sign-in`);
  const { action, fields } = formOf(page);
  const values = { ...fields, name: `nobody${at}`, password: `a long password ${at}` };
  const cookie = [...browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  return post(action, String(new URLSearchParams(values)), { origin: url, cookie });
}
