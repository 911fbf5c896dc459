// Prompts of a server. The list is a constant; their texts are loaded with the first one asked for.

import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { limits } from '../../limits.ts';
import type { AvailableTools } from '../tool-profiles.ts';
import { cleanLine } from '../untrusted-text.ts';
import { type ListedPrompt, prompts } from './prompts.ts';

/** Adds prompts/list and prompts/get for the prompts whose tools are available. */
export function addPrompts(server: Server, available: AvailableTools): void {
  const offered = prompts.filter(({ needs }) => needs.every(available.offers));
  const listed = offered.map(({ needs: _, arguments: named, ...prompt }) => ({
    ...prompt,
    arguments: named.map((argument) => ({ ...argument })),
  }));
  server.setRequestHandler('prompts/list', () => ({ prompts: listed }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = offered.find(({ name }) => name === params.name);
    if (prompt === undefined) throw unknownPrompt(params.name, offered);
    const given = checkArguments(prompt, params.arguments ?? {});
    const { promptText } = await import('./prompt-texts.ts');
    const text = promptText(prompt.name, given, available) ?? '';
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
  });
}

/** The given arguments without empty ones, which the forms of hosts send for missing ones. */
function checkArguments(
  prompt: ListedPrompt,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const known = prompt.arguments.map(({ name }) => name);
  const filled = Object.entries(given).filter(([, value]) => value.trim() !== '');
  for (const [name, value] of filled) {
    if (!known.includes(name))
      throw wrong(`There is no argument ${said(name)}: ${known.join(', ')}.`);
    if (value.length > limits.promptArgumentCharactersMax) throw wrong(`${name} is too long.`);
  }
  const names = filled.map(([name]) => name);
  const missing = prompt.arguments.find(({ name, required }) => required && !names.includes(name));
  if (missing !== undefined) throw wrong(`${missing.name} is missing: ${missing.description}`);
  return Object.fromEntries(filled);
}

function unknownPrompt(name: string, offered: readonly ListedPrompt[]): ProtocolError {
  const names = offered.map((prompt) => prompt.name).join(', ');
  return wrong(`There is no prompt ${said(name)}. The prompts: ${names}.`);
}

function said(name: string): string {
  return JSON.stringify(cleanLine(name).slice(0, 64));
}

function wrong(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
