// The page between a form and the application: it continues by a meta refresh, not a redirect.

import { html } from './html.ts';
import type { Page } from './page-layout.ts';

/**
 * Continues to one of our own URLs. After a redirect, browsers would apply our `form-action` policy
 * to the application's redirect URI.
 */
export function continuePage(address: string, text: string): Page {
  return {
    title: 'One moment',
    continueTo: address,
    body: html`<div class="card">
<h1>One moment</h1>
<p>${text}</p>
<p><a class="button main" href="${address}">Go on</a></p>
</div>`,
  };
}
