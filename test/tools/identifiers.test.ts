// Identifiers of only dots would address the folder above: every tool refuses them before anything
// is read or anybody is asked.

import { describe, expect, it } from 'vitest';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import { asFoveaError, type FoveaError } from '../../src/errors.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../tools/index.ts';

/** Numbers and closed sets have their own checks. */
const checkedOtherwise = ['version', 'format'];

const operations = Object.values({ ...embeddedOperations, ...deviceOperations });

const inPaths = operations
  .flatMap(({ pathParameters }) => Object.keys(pathParameters.shape))
  .filter((name) => !checkedOtherwise.includes(name));

/** Of a tool without an operation of its name, all that some path has. */
function identifiersOf({ name, input }: Tool): readonly string[] {
  const own = operations.find(({ id }) => id === name)?.pathParameters.shape;
  return Object.keys(input.shape).filter(
    (argument) => inPaths.includes(argument) && (own === undefined || Object.hasOwn(own, argument)),
  );
}

const cases = tools.flatMap((tool) =>
  identifiersOf(tool).map((name) => [`${name} of ${tool.name}`, tool, name] as const),
);

function refusal(tool: Tool, args: object): FoveaError {
  try {
    tool.prepare(args);
  } catch (thrown) {
    return asFoveaError(thrown);
  }
  throw new Error(`${tool.name} took ${JSON.stringify(args)}`);
}

describe.each(['.', '..', '...'])('%s', (dots) => {
  it.each(cases)('is no %s', (_what, tool, name) => {
    const { problems } = refusal(tool, { [name]: dots });
    expect(problems).toContainEqual({ path: name, message: 'must not be only dots' });
  });
});

it.each(['../cells', 'acme/..', './.'])('%s is no project', (project) => {
  const tool = tools.find(({ name }) => name === 'images_delete');
  if (tool === undefined) throw new Error('There is no such tool.');
  const { message } = refusal(tool, { workspace: 'acme', project, images: ['a'], confirm: 'x' });
  expect(message).toBe('project: must not be only dots');
});

it('is checked in lists, too', () => {
  const tool = tools.find(({ name }) => name === 'images_delete');
  if (tool === undefined) throw new Error('There is no such tool.');
  const args = { workspace: 'acme', project: 'cells', images: ['a', '..'], confirm: 'cells' };
  expect(refusal(tool, args).message).toBe('images[1]: must not be only dots');
});
