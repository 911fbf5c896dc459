// Validates the registration of an application (API 24.15).

import type { ApplicationValues } from '../commands.ts';
import type { ClientAuthentication } from '../config.ts';
import { type Scope, scopes } from '../contract/scopes.ts';
import { invalidInput, type Problem } from '../errors.ts';
import { limits } from '../limits.ts';
import { isLoopbackName } from '../network/loopback.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { displayNameProblem, slugProblem } from './name-validation.ts';

export const visibilities = ['Internal', 'Unlisted', 'Public'] as const;
export type Visibility = (typeof visibilities)[number];

export const clientAuthentications = ['client_secret_post', 'client_secret_basic', 'none'] as const;

/** Validated registration values. */
export interface Registration {
  readonly name: string;
  readonly homepage: string | undefined;
  /** Compared exactly with the redirect URI of a request. */
  readonly redirectUris: readonly string[];
  readonly authentication: ClientAuthentication;
  /** Always includes `openid`. */
  readonly scopes: readonly Scope[];
  readonly visibility: Visibility;
  /** Runs on the user's computer: its loopback redirect URIs may have any port. */
  readonly isDesktop: boolean;
  /** An MCP client: its tokens live for 24 hours. */
  readonly isMcp: boolean;
  /** Resource identifier of an application that is an MCP server (RFC 8707). */
  readonly resource: string | undefined;
  /** Slug of the workspace that it belongs to. */
  readonly workspace: string;
}

/** Throws `invalid_input` with all problems at once. */
export function validateRegistration(values: ApplicationValues, workspace: string): Registration {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ path, message });
  };
  const name = (values.name ?? '').trim().normalize('NFC');
  refuse('name', displayNameProblem(name));
  const homepage = values.homepage || undefined;
  if (homepage !== undefined) refuse('homepage', homepageProblem(homepage));
  const authentication = oneOf(clientAuthentications, values.auth || 'client_secret_post');
  if (authentication === undefined) {
    refuse('auth', `must be one of ${clientAuthentications.join(', ')}`);
  }
  const visibility = oneOf(visibilities, values.visibility || 'Internal');
  if (visibility === undefined) refuse('visibility', `must be one of ${visibilities.join(', ')}`);
  const resource = values.resource ? withoutLastSlash(values.resource) : undefined;
  if (resource !== undefined) refuse('resource', resourceProblem(resource));
  if (resource !== undefined && authentication === 'none') {
    refuse('resource', 'an MCP server needs a secret: auth must not be none');
  }
  refuse('workspace', slugProblem(workspace));
  const isServerAlone = resource !== undefined && values.redirectUris.length === 0;
  if (!isServerAlone) problems.push(...redirectProblems(values.redirectUris, values.desktop));
  const allowed = readScopes(values.scopes, problems);
  if (problems.length > 0) throw invalidInput(problems);
  return {
    name,
    homepage,
    resource,
    workspace,
    redirectUris: [...values.redirectUris],
    authentication: authentication ?? 'client_secret_post',
    visibility: visibility ?? 'Internal',
    scopes: allowed,
    isDesktop: values.desktop,
    isMcp: values.mcp,
  };
}

/**
 * Why a redirect URI is invalid; undefined: it is valid. Public hosts need https; plain http is for
 * localhost, 127.0.0.1 and [::1] (API 24.16). Requests must repeat it exactly, so
 * only its normal form is accepted.
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > limits.applicationUrlCharactersMax) {
    return `must have at most ${limits.applicationUrlCharactersMax} characters`;
  }
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must be ASCII without blanks (IDNs in their xn-- form)';
  const parsed = URL.parse(uri);
  if (parsed === null || !/^https?:\/\//i.test(uri)) return 'must be a whole https URL';
  if (uri.includes('#')) return 'must have no fragment ("#")';
  if (uri.includes('\\')) return 'must have no backslash';
  if (uri.includes('*')) return 'must be exact: there are no wildcards';
  if (parsed.username || parsed.password || uri.includes('@')) return 'must have no "@"';
  if (parsed.protocol === 'http:' && !isLoopbackName(parsed.hostname)) {
    return 'must be https; plain http is for localhost, 127.0.0.1 and [::1] only';
  }
  if (parsed.hostname.endsWith('.')) return 'must name its host without a dot at the end';
  const isBare = parsed.pathname === '/' && `${uri}/` === parsed.href;
  if (uri !== parsed.href && !isBare) return `must be written as ${parsed.href}`;
  return undefined;
}

/** Whether codes go to a program on the user's own computer. */
export function hasLoopbackHost(redirectUri: unknown): boolean {
  const { hostname = '' } = URL.parse(String(redirectUri)) ?? {};
  return isLoopbackName(hostname);
}

/** RFC 8707 compares resources as text; here a trailing slash makes no difference. */
export function withoutLastSlash(resource: string): string {
  return resource.endsWith('/') ? resource.slice(0, -1) : resource;
}

function redirectProblems(uris: readonly string[], isDesktop: boolean): Problem[] {
  if (uris.length === 0) return [{ path: 'redirect_uris', message: 'needs one at least' }];
  if (uris.length > limits.redirectUrisMax) {
    return [{ path: 'redirect_uris', message: `may be ${limits.redirectUrisMax} at most` }];
  }
  return uris.flatMap((uri, index) => {
    const message =
      redirectUriProblem(uri) ??
      (uris.indexOf(uri) < index ? 'is there twice' : undefined) ??
      (isDesktop && !isLoopbackUri(uri)
        ? 'must be http on 127.0.0.1, [::1] or localhost for a desktop application'
        : undefined);
    return message === undefined ? [] : [{ path: `redirect_uris[${index}]`, message }];
  });
}

function isLoopbackUri(uri: string): boolean {
  const { protocol, hostname = '' } = URL.parse(uri) ?? {};
  return protocol === 'http:' && isLoopbackName(hostname);
}

function homepageProblem(homepage: string): string | undefined {
  const parsed = URL.parse(homepage);
  const isRight =
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    !parsed.username &&
    !parsed.password &&
    /^[\x21-\x7e]+$/.test(homepage) &&
    homepage.length <= limits.applicationUrlCharactersMax;
  return isRight ? undefined : 'must be an http or https URL, for example https://example.com';
}

function resourceProblem(resource: string): string | undefined {
  const parsed = URL.parse(resource);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'must be an https URL';
  if (resource.includes('#') || parsed.username || parsed.password) {
    return 'must have neither a fragment nor a user name';
  }
  if (parsed.protocol === 'http:' && !isLoopbackName(parsed.hostname)) {
    return 'must be https; plain http is for localhost, 127.0.0.1 and [::1] only';
  }
  const right = withoutLastSlash(parsed.href);
  return resource === right ? undefined : `must be written as ${right}`;
}

function readScopes(given: readonly string[], problems: Problem[]): readonly Scope[] {
  for (const name of given) {
    if (oneOf(scopes, name) !== undefined) continue;
    const near = suggestSpelling(name, scopes);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    problems.push({ path: 'scopes', message: `there is no scope "${name}"${hint}` });
  }
  const isAll = given.length === 0;
  return scopes.filter((scope) => isAll || scope === 'openid' || given.includes(scope));
}

function oneOf<Value extends string>(list: readonly Value[], text: string): Value | undefined {
  return list.find((value) => value === text);
}
