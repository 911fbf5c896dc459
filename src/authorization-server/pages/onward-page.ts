// The page between a form and the application: it goes on by itself, without a redirect.

import { html } from './html.ts';
import type { Page } from './page.ts';

/**
 * Goes on to an address of ours. A redirect after the form would have the browser hold the
 * application's own addresses against our policy (CSP form-action).
 */
export function onwardPage(address: string, text: string): Page {
  return {
    title: 'One moment',
    onward: address,
    body: html`<div class="card">
<h1>One moment</h1>
<p>${text}</p>
<p><a class="button main" href="${address}">Go on</a></p>
</div>`,
  };
}
