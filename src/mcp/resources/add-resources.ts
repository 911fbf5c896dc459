// Adds resources to a server. The lists are constants; the reader is loaded with the first read.

import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { appResources } from '../app/resource.ts';
import { skillResources } from '../skills/resource.ts';
import type { AvailableTools } from '../tool-profiles.ts';
import type { ResourceReader } from './read-resource.ts';
import { isTemplate, type ResourceKind, resourceKinds } from './uris.ts';

const missing =
  'No resource has an address of this form. resources/templates/list has all forms of addresses.';

/** All resources have text for a model, and may have images. */
const mimeType = 'text/plain';

/** Adds resources/list, resources/templates/list and resources/read. */
export function addResources(
  server: Server,
  { offers }: AvailableTools,
  reader: () => Promise<ResourceReader>,
): void {
  const offered = resourceKinds.filter(({ tool }) => offers(tool));
  const fixed = offered.filter((kind) => !isTemplate(kind));
  const templates = offered.filter(isTemplate).map((kind) => ({
    ...wordsOf(kind),
    uriTemplate: kind.template,
  }));
  const resources = fixed.map((kind) => ({ ...wordsOf(kind), uri: kind.template }));
  server.setRequestHandler('resources/list', async () => ({
    resources: [...resources, ...(await skillResources()), ...appResources],
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const read = await (await reader()).read(uri, mcpReq.signal);
    if (read === undefined) throw new ResourceNotFoundError(uri, missing);
    return read;
  });
}

function wordsOf({ name, title, description }: ResourceKind) {
  return { name, title, description, mimeType };
}
