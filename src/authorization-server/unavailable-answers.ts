// Answers with 503 where the database does not answer; oidc-provider would answer with 500, or send
// the failure to the application.

import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { FoveaError } from '../errors.ts';
import { pageHeaders } from './page-response.ts';
import { errorPage } from './pages/error-page.ts';
import { pageHtml } from './pages/page-layout.ts';

/** For every answer of the provider. Cookies stay as they are, so the same request may go on. */
export function answerUnavailable(provider: Provider): void {
  const failures = new WeakMap<object, FoveaError>();
  provider.on('server_error', (ctx, error: unknown) => {
    if (isUnavailable(error)) failures.set(ctx, error);
  });
  provider.use(async (ctx, next) => {
    await next().catch((thrown: unknown) => {
      if (!isUnavailable(thrown)) throw thrown;
      failures.set(ctx, thrown);
    });
    const failure = failures.get(ctx);
    if (failure !== undefined) answer(ctx, failure);
  });
}

function isUnavailable(thrown: unknown): thrown is FoveaError {
  return thrown instanceof FoveaError && thrown.code === 'unavailable';
}

type Context = Pick<KoaContextWithOIDC, 'accepts' | 'body' | 'remove' | 'set' | 'status'>;

function answer(ctx: Context, { message, status, retryAfterSeconds = 1 }: FoveaError): void {
  ctx.remove('location');
  ctx.remove('set-cookie');
  ctx.status = status;
  ctx.set('retry-after', String(retryAfterSeconds));
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set(pageHeaders);
    ctx.body = pageHtml(errorPage({ message, hint: 'Load this page again in a moment.' }));
    return;
  }
  ctx.set('cache-control', 'no-store');
  ctx.body = { error: 'temporarily_unavailable', error_description: message };
}
