// What a tool list costs a model.

import { encode } from 'gpt-tokenizer/encoding/cl100k_base';

interface Described {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/**
 * Tokens (cl100k) of what a model reads of tools: name, description and input schema. Titles and
 * annotations are read by hosts.
 */
export function modelTokens(tools: readonly Described[]): number {
  const read = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return encode(JSON.stringify(read)).length;
}
