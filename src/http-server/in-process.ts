// Answers calls of the same process as the service answers them over HTTP, with the same checks,
// limits and errors, but without a connection.

import type {
  HandleInProcess,
  InProcessForm,
  InProcessRequest,
  InProcessResponse,
} from '../contract/in-process.ts';
import type { FilePart, Operation } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Body, bodyOfForm, readJsonText } from './body-parsing.ts';
import { type AccessPolicy, answerOf, asValue, counted, runHandler } from './endpoint.ts';
import type { Handler, Handlers, Operations } from './handlers.ts';
import { filePart, partTooLarge } from './multipart-form.ts';

/** Stands for the address of the client. */
const address = 'this process';

interface InProcessOptions<Ops extends Operations, Local extends Operations, Principal>
  extends AccessPolicy<Principal> {
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Principal>;
  /** Operations that are answered here alone, not over HTTP. */
  readonly local?: LocalOperations<Local, Principal>;
}

export interface LocalOperations<Ops extends Operations, Principal> {
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Principal>;
}

/**
 * Answers the operations whose handlers need no HTTP request. `origin` is the URL of the service.
 * Rejects with what the handler throws.
 */
export function inProcessHandler<Ops extends Operations, Local extends Operations, Principal>(
  options: InProcessOptions<Ops, Local, Principal>,
  origin: string,
): HandleInProcess {
  const { local } = options;
  const answers = new Map([
    ...answersOf(options, options, origin),
    ...(local ? answersOf(local, options, origin) : []),
  ]);
  return async (request) => {
    const found = answers.get(request.operation.id);
    if (found) return found(request);
    throw new FoveaError('not_found', 'There is no operation at this path.');
  };
}

function answersOf<Ops extends Operations, Principal>(
  { operations, handlers }: LocalOperations<Ops, Principal>,
  policy: AccessPolicy<Principal>,
  origin: string,
): ReadonlyMap<string, HandleInProcess> {
  const answers = new Map<string, HandleInProcess>();
  for (const name in operations) {
    const handler = handlers[name];
    if (typeof handler !== 'function') continue;
    answers.set(name, (request) => answer(operations[name], handler, policy, request, origin));
  }
  return answers;
}

async function answer<O extends Operation, Principal>(
  operation: O,
  handler: Handler<O, Principal>,
  options: AccessPolicy<Principal>,
  { path, query, body, credential, signal, onShare }: InProcessRequest,
  origin: string,
): Promise<InProcessResponse> {
  const { policy, end } = counted(options);
  try {
    const principal = await policy.authenticate(credential, 'header', address);
    if (principal === undefined) throw policy.credentials.refusal(credential);
    policy.checkScope?.(principal, operation);
    const caller = policy.callerOf?.(principal, address) ?? { name: address };
    const { members } = await bodyOf(operation, body, policy.jsonBytesMax);
    const parts = { path, query, body: members };
    const call = { origin: policy.publicUrl ?? origin, signal, onShare };
    const result = await runHandler(operation, policy, { principal, caller, parts }, (input, as) =>
      handler(input, { ...call, principal: as }),
    );
    const { status, body: answered } = answerOf(operation, policy, result);
    return { status, body: asValue(answered), headers: {} };
  } finally {
    end();
  }
}

async function bodyOf(
  operation: Operation,
  body: InProcessRequest['body'],
  jsonBytesMax: number | undefined,
): Promise<Pick<Body, 'members'>> {
  if (body === null) return { members: {} };
  if (typeof body === 'string') {
    return { members: await readJsonText(operation, body, jsonBytesMax) };
  }
  return bodyOfForm(operation, await readForm(body));
}

async function readForm(form: InProcessForm) {
  const fields = new Map<string, string[]>();
  const files = new Map<string, FilePart[]>();
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.set(name, [...(fields.get(name) ?? []), checked(value)]);
    else files.set(name, [...(files.get(name) ?? []), await readFile(name, value)]);
  }
  return { fields, files };
}

function checked(field: string): string {
  const { multipartFieldBytesMax: bytesMax } = limits;
  if (Buffer.byteLength(field) > bytesMax) throw partTooLarge('text field', bytesMax);
  return field;
}

async function readFile(member: string, file: File): Promise<FilePart> {
  if (file.size === 0) throw invalidArgument(member, 'the file is empty');
  if (file.size > limits.imageBytesMax) throw partTooLarge('file', limits.imageBytesMax);
  const content = Buffer.allocUnsafe(file.size);
  let bytes = 0;
  for await (const piece of file.stream()) {
    content.set(piece, bytes);
    bytes += piece.byteLength;
  }
  return filePart(member, file.name, file.type, content);
}
