// Handles completion/complete for the arguments of prompts and resource templates.

import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { prompts } from '../prompts/prompts.ts';
import { resourceKinds } from '../resources/uris.ts';
import type { CompletionOptions } from './complete.ts';

/** Nothing is read, and nothing loaded, before the first completion. */
export function addCompletions(server: Server, options: CompletionOptions): void {
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => {
    const { ref, argument, context } = params;
    const known = ref.type === 'ref/prompt' ? namesOfPrompt(ref.name) : namesOfAddress(ref.uri);
    if (known === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'ref: there is nothing of that name.',
      );
    }
    const { complete } = await import('./complete.ts');
    const name = known.includes(argument.name) ? argument.name : '';
    const typed = { name, value: argument.value, chosen: context?.arguments ?? {} };
    return complete(typed, options, mcpReq.signal);
  });
}

function namesOfPrompt(name: string): readonly string[] | undefined {
  return prompts.find((prompt) => prompt.name === name)?.arguments.map((one) => one.name);
}

/**
 * The variables of a template; hosts also send the URI of a single resource, which has no
 * variables.
 */
function namesOfAddress(uri: string): readonly string[] | undefined {
  const kind = resourceKinds.find(({ template }) => template === uri);
  return kind && [...kind.template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
