// The numbered statements of docs/spec, which checks prove and comments cite.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Section and place in it: `4.2`. */
export type StatementNumber = `${number}.${number}`;

export interface Statement {
  readonly number: string;
  readonly section: string;
  readonly words: string;
}

/** The documents of docs/spec: how they are cited, and where they are. */
const specifications = {
  API: 'docs/spec/api.md',
  'Event Store': 'docs/spec/event-store.md',
} as const;

/** All statements of a document, in its order. */
export function readStatements(document: keyof typeof specifications): readonly Statement[] {
  const root = join(import.meta.dirname, '../..');
  const text = readFileSync(join(root, specifications[document]), 'utf8');
  return text.split(/^## /m).slice(1).flatMap(statementsOfSection);
}

function statementsOfSection(text: string): readonly Statement[] {
  const section = text.slice(0, text.indexOf('\n'));
  const statements = text.matchAll(/^- \*\*(\d+\.\d+)\*\* (.+(?:\n {2}.+)*)/gm);
  return [...statements].map(([, number = '', words = '']) => ({
    number,
    section,
    words: words.replaceAll(/\n {2}/g, ' '),
  }));
}
