// The layout of every page, and its form elements.

import { settingsPaths } from '../paths.ts';
import type { Html, TemplateValue } from './html.ts';
import { html, trusted } from './html.ts';
import { style } from './style.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** URL to which the browser continues by itself. */
  readonly continueTo?: string;
  /** For lists and long forms. */
  readonly isWide?: boolean;
  /** Path of the platform's page, whose navigation stands above this one. */
  readonly platformPage?: string | undefined;
}

export const applicationsTitle = 'Applications';
export const connectionsTitle = 'Connected applications';

/** A whole document. It loads no resources and needs no script. */
export function pageHtml({ title, body, continueTo, isWide, platformPage }: Page): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${continueTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${continueTo}">`}
<title>${title} · Fovea</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body>
${platformPage !== undefined && navigation(platformPage, title)}
<main class="${isWide ? 'wide' : 'narrow'}">
<p class="brand">Fovea</p>
${body}
</main>
</body>
</html>
`.text;
}

/** The views of the platform's page, and Applications among them. */
function navigation(platformPage: string, title: string): Html {
  const views = ['Projects', 'Events', 'Tasks', 'Activity', 'Folders', 'Keys'];
  const isHere = [applicationsTitle, connectionsTitle].includes(title);
  return html`<nav class="views" aria-label="Views">${views.map(
    (view) => html`<a href="${platformPage}#${view.toLowerCase()}">${view}</a>`,
  )}<a href="${settingsPaths.applications}"${isHere && html` aria-current="page"`}>Applications</a><a href="${platformPage}#trash">Trash</a></nav>`;
}

/** A form field with its label; `problem` is announced to screen readers too. */
export function textField(field: {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: TemplateValue;
  readonly verifyPassword?: boolean;
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
  readonly isWrong?: boolean;
}): Html {
  const { name, hint } = field;
  return html`<label for="${name}">${field.label}</label>
<input id="${name}" name="${name}" type="${field.verifyPassword ? 'password' : 'text'}"
 value="${field.value ?? ''}" autocomplete="${field.autocomplete ?? 'off'}" autocapitalize="none" spellcheck="false"
${hint !== undefined && html` aria-describedby="${name}-hint"`}${field.isRequired && html` required`}${field.hasFocus && html` autofocus`}${field.isWrong && html` aria-invalid="true"`}>
${hint !== undefined && html`<small id="${name}-hint">${hint}</small>`}`;
}

/** The problem, above a form; screen readers announce it first. */
export function problemBox(
  message: string | undefined,
  details: readonly string[] = [],
): TemplateValue {
  if (message === undefined) return undefined;
  return html`<div class="problem" role="alert"><p>${message}</p>${
    details.length > 0 && html`<ul>${details.map((each) => html`<li>${each}</li>`)}</ul>`
  }</div>`;
}

/** The hidden CSRF token of a form. */
export function formToken(token: string): Html {
  return html`<input type="hidden" name="form_token" value="${token}">`;
}
