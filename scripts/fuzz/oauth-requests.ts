// Requests to the sign-in service, whose contract is the RFCs.

import fc from 'fast-check';
import { oddValue } from '../../test/platform/fuzz/values.ts';
import type { WireRequest } from './malformed-requests.ts';

const places = [
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/userinfo',
  '/oauth/validate',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/oauth/sign-in/abc',
  '/oauth/sign-in/abc/consent',
  '/settings',
  '/settings/sign-in',
  '/settings/sign-out',
  '/settings/applications',
  '/settings/connections',
  '/settings/password',
  '/oauth/end',
  '/oauth/introspect',
  '/oauth/register',
] as const;

const names = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'state',
  'nonce',
  'response_type',
  'response_mode',
  'prompt',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'token',
  'token_type_hint',
  'name',
  'password',
  'decision',
  'csrf',
  'max_age',
  'claims',
  'request',
  'request_uri',
  'subject_token',
  'subject_token_type',
  'audience',
  'login_hint',
  'ui_locales',
  'iss',
] as const;

const plausible = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'code',
  'code id_token',
  'none',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'openid',
  'openid project:read',
  'S256',
  'http://127.0.0.1:8976/callback',
  'https://127.0.0.1:1/client',
  'form_post',
  'allow',
  'a',
  '{"userinfo":{"a":null}}',
  'eyJhbGciOiJub25lIn0.e30.',
  '-1',
  '1e99',
  'login consent',
] as const;

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<string>(...plausible) },
  oddValue.map((one) =>
    (typeof one === 'string' ? one : (JSON.stringify(one) ?? '')).toWellFormed(),
  ),
);

const parameters = fc
  .array(fc.tuple(fc.constantFrom<string>(...names), value), { maxLength: 9 })
  .map((pairs) => String(new URLSearchParams(pairs)));

const form = { 'content-type': 'application/x-www-form-urlencoded' };

export const signInRequest: fc.Arbitrary<WireRequest> = fc
  .record({
    path: fc.constantFrom<string>(...places),
    query: parameters,
    body: fc.option(parameters, { nil: undefined, freq: 2 }),
    asker: fc.constantFrom<WireRequest['asker'][]>('nobody', 'nobody', 'wrong', 'owner'),
    token: fc.option(value, { nil: undefined }),
  })
  .map(({ path, query, body, asker, token }) => ({
    name: path,
    asker,
    method: body === undefined ? 'GET' : 'POST',
    target: body === undefined ? `${path}?${query}`.slice(0, 12_000) : path,
    headers: {
      ...(body !== undefined && form),
      ...(token !== undefined && {
        cookie: `_session=${encodeURIComponent(token).slice(0, 2_000)}`,
      }),
    },
    body: body === undefined ? undefined : Buffer.from(body),
  }));
