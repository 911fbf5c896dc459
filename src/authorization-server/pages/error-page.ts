// The error page: what went wrong, and what to do now.

import { html } from './html.ts';
import type { Page } from './page-layout.ts';

/** Where people go on. */
export interface ErrorLink {
  readonly address: string;
  readonly text: string;
}

/** From a sign-in that has ended, which may have been one to the platform's page. */
export function linkToPage(platformPage: string | undefined): ErrorLink | undefined {
  return platformPage === undefined
    ? undefined
    : { address: platformPage, text: 'Open the page of this platform' };
}

/** `message` and `hint` are our own text; text from a request belongs in `quoted`. */
export function errorPage(error: {
  readonly title?: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Text that came with the request, shown as a quotation. */
  readonly quoted?: string | undefined;
  readonly link?: ErrorLink | undefined;
}): Page {
  const { title = 'This did not work', message, hint, quoted, link } = error;
  return {
    title,
    body: html`<div class="card" role="alert">
<h1>${title}</h1>
<p>${message}</p>
${quoted !== undefined && html`<pre>${quoted}</pre>`}
${hint !== undefined && html`<p>${hint}</p>`}
${link !== undefined && html`<p><a class="button" href="${link.address}">${link.text}</a></p>`}
</div>`,
  };
}
