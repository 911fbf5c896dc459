// Ada, who has an account and a browser: how the judges come to codes, tokens and errors.

import { expect, onTestFinished, vi } from 'vitest';
import type { Browser, Visit } from './cookie-browser.ts';
import {
  authorizeUrl,
  type Changes,
  type PlatformWithAccounts,
  password,
  type Registered,
  redeem,
} from './platform-with-accounts.ts';

/** What she types. */
export const credentials = { name: 'ada@example.com', password };

export interface AccountHolder {
  /** Her own: she signs in once, and allows each application once. */
  readonly browser: Browser;
  /** The address to which her browser leaves once she has signed in and allowed everything. */
  agree(application: Registered, changes?: Changes): Promise<URL>;
  /** A fresh code. */
  codeFor(application: Registered, changes?: Changes): Promise<string>;
  /** What a fresh code is redeemed for. */
  tokensFor(application: Registered, changes?: Changes): Promise<Readonly<Record<string, unknown>>>;
  /** What the application is told at its redirect URI, without her being asked. */
  errorAt(application: Registered, changes: Changes): Promise<string | null>;
}

export function openAccountHolder({ issuer, browser: open }: PlatformWithAccounts): AccountHolder {
  const browser = open();
  const agree = (application: Registered, changes: Changes = {}) =>
    browser.agree(authorizeUrl(issuer, application, changes), credentials);
  const codeFor: AccountHolder['codeFor'] = async (application, changes) => {
    const final = await agree(application, changes);
    expect(final.searchParams.get('error_description')).toBe(null);
    return final.searchParams.get('code') ?? '';
  };
  return {
    browser,
    agree,
    codeFor,
    tokensFor: async (application, changes) => {
      const answer = await redeem(issuer, application, await codeFor(application, changes));
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      return answer.body;
    },
    errorAt: async (application, changes) => {
      const visit = await browser.go(authorizeUrl(issuer, application, changes));
      expect(visit.status).toBe(303);
      expect(`${visit.onward?.origin}${visit.onward?.pathname}`).toBe(application.redirectUri);
      expect(visit.onward?.hash).toBe('');
      return visit.onward?.searchParams.get('error') ?? null;
    },
  };
}

/** A page of the service that leads nowhere else: no redirect, link or form to another origin. */
export function expectStays(visit: Visit, issuer: string): void {
  expect(visit.headers.get('location')).toBe(null);
  expect(visit.onward).toBe(undefined);
  for (const [, target = ''] of visit.text.matchAll(/(?:href|src|action|url)="([^"]*)"/g)) {
    if (!target.startsWith('data:,')) expect(new URL(target, issuer).origin).toBe(issuer);
  }
}

/** Sets the clock so many milliseconds ahead, until the end of the test. */
export function goAhead(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  onTestFinished(() => void vi.useRealTimers());
}
