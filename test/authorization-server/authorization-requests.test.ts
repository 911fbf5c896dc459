// What an application may ask of /oauth/authorize, and where it is told what is wrong.

import { expect, test } from 'vitest';
import { authorizationUrl, postForm } from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

test.each([
  ['without openid', 'project:read'],
  ['with an unknown scope', 'openid project:destroy'],
  ['with offline_access', 'openid offline_access'],
  ['with another spelling', 'OpenID'],
  ['with a doubled scope and an unknown one', 'openid openid nothing'],
])('a request %s goes back as invalid_scope', async (_what, scope) => {
  const service = await start();
  const { url, state } = authorizationUrl(service, service.applications.post, { scope });
  const { status, next } = await openFormBrowser().get(url);
  expect(status).toBe(303);
  expect(next?.searchParams.get('error')).toBe('invalid_scope');
  expect(next?.searchParams.get('state')).toBe(state);
  expect(next?.searchParams.get('iss')).toBe(service.url);
  expect(next?.searchParams.has('code')).toBe(false);
});

test.each([
  ['openid image:read project:destroy', 'the third scope is not one of this service'],
  ['openid evil', 'the second scope is not one of this service'],
  [`${'openid '.repeat(11)}evil`, 'scope number 12 is not one of this service'],
])('of "%s" it says which one is unknown, without repeating it', async (scope, words) => {
  const service = await start();
  const { url } = authorizationUrl(service, service.applications.post, { scope });
  const { next } = await openFormBrowser().get(url);
  expect(next?.searchParams.get('error_description')).toBe(words);
});

test('a request for a scope that the application may not have is refused', async () => {
  const service = await start();
  const narrow = await service.register({ name: 'Narrow', scopes: ['openid', 'image:read'] });
  const { url } = authorizationUrl(service, narrow, { scope: 'openid image:read model:infer' });
  const { next } = await openFormBrowser().get(url);
  expect(next?.searchParams.get('error')).toBe('invalid_scope');
});

test('a request without a scope asks for openid', async () => {
  const service = await start();
  for (const scope of [undefined, '']) {
    const proof = authorizationUrl(service, service.applications.public);
    if (scope === undefined) proof.url.searchParams.delete('scope');
    else proof.url.searchParams.set('scope', scope);
    const final = await service.agree(proof.url);
    const answer = await postForm(`${service.url}/oauth/token`, service.applications.public, {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: service.applications.public.redirectUri,
      code_verifier: proof.verifier,
    });
    expect(answer.body.scope).toBe('openid');
  }
});

test.each([
  ['an unknown client', { client_id: 'nobody' }],
  ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }],
  ['a redirect URI of script', { redirect_uri: 'javascript:alert(1)' }],
  ['a script as client', { client_id: '<script>alert(1)</script>' }],
])('%s gets a page, and is sent nowhere', async (_what, parameters) => {
  const service = await start();
  const { url } = authorizationUrl(service, service.applications.post, parameters);
  const { status, headers, text, next } = await openFormBrowser().get(url);
  expect(status).toBe(400);
  expect(next).toBeUndefined();
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(text).toContain('invalid_');
  expect(text).not.toContain('<script');
  expect(text).not.toContain('href="javascript');
});

test.each([
  ['no challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ['a request by address', { request_uri: 'https://a.example/' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['a resource that nobody knows', { resource: 'https://a.example/mcp' }, 'invalid_target'],
])('%s is refused at the redirect URI', async (_what, parameters, error) => {
  const service = await start();
  const { url } = authorizationUrl(service, service.applications.post, parameters);
  const { next } = await openFormBrowser().get(url);
  expect(new URLSearchParams(next?.search || next?.hash.slice(1)).get('error')).toBe(error);
});
