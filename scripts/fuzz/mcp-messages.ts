// Messages of the Model Context Protocol: calls of every tool, right and wrong, and all the rest.

import fc from 'fast-check';
import { Schema } from '../../test/platform/fuzz/document.ts';
import { oddValue, rightValue, withOneOdd } from '../../test/platform/fuzz/values.ts';
import list from '../../tools/list.json' with { type: 'json' };
import type { WireRequest } from './malformed-requests.ts';

const methods = [
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'initialize',
  'notifications/cancelled',
  'notifications/initialized',
  'tasks/get',
  'tasks/cancel',
  'server/discover',
  'nothing/known',
] as const;

/** As a host says of itself that shows pages: else their tools are not offered. */
const hostWithPages = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  },
};

const calls = list.map(({ name, inputSchema }) => {
  const schema = Schema.parse(inputSchema);
  const right = fc.oneof(
    rightValue(schema, '', () => []),
    ...operationsIn(inputSchema),
  );
  const args = fc.oneof(right, right.chain(withOneOdd), oddValue);
  const meta = fc.constantFrom(undefined, hostWithPages);
  return fc.tuple(args, meta).map(([given, _meta]): unknown => ({
    method: 'tools/call',
    params: { name, arguments: given, _meta },
  }));
});

/** The tools of pages pass operations on: with the arguments of each, where a tool has it. */
function operationsIn(inputSchema: unknown): readonly fc.Arbitrary<unknown>[] {
  const operations: unknown = Object(inputSchema).properties?.operation?.enum;
  if (!Array.isArray(operations)) return [];
  return list.flatMap(({ name, inputSchema: own }) =>
    operations.includes(name)
      ? rightValue(Schema.parse(own), '', () => []).map((given) => ({
          operation: name,
          arguments: given,
        }))
      : [],
  );
}

const other = fc
  .tuple(
    fc.constantFrom<string>(...methods),
    fc.oneof(oddValue, fc.constant({ uri: 'fovea://workspace' })),
  )
  .map(([method, params]): unknown => ({ method, params }));

const id = fc.oneof(
  fc.nat(99),
  fc.constantFrom<unknown>('a', null, -1, 1.5, {}, 'x'.repeat(3_000)),
);

const single = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fc.oneof(...calls) }, other), id)
  .map(([message, one]): unknown => ({ jsonrpc: '2.0', id: one, ...Object(message) }));

const body = fc.oneof(
  { weight: 12, arbitrary: single },
  { weight: 1, arbitrary: single.chain(withOneOdd) },
  { weight: 1, arbitrary: fc.array(single, { maxLength: 4 }).map((all): unknown => all) },
  { weight: 1, arbitrary: oddValue },
);

export const messageRequest: fc.Arbitrary<WireRequest> = fc
  .tuple(body, fc.constantFrom('2025-06-18', '2025-11-25', '2026-07-28', 'x', undefined))
  .map(([message, version]) => ({
    name: 'mcp',
    asker: 'owner',
    method: 'POST',
    target: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    },
    body: Buffer.from(JSON.stringify(message) ?? ''),
  }));
