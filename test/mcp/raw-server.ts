// Drives a server by raw lines of JSON-RPC.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Message = Record<string, unknown>;

export interface RawServer {
  readonly child: ChildProcess;
  /** Every line that came on stdout. */
  readonly lines: readonly string[];
  log(): string;
  send(message: object): void;
  write(text: string | Buffer): void;
  endInput(): void;
  /** The answer to a request, which must still come. */
  answer(id: number | string): Promise<Message>;
  /** Waits until the log has this text. */
  logged(text: string): Promise<void>;
  /** Exit code; null when a signal ended the process. */
  exited(): Promise<number | null>;
}

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;

/** To compile the TypeScript of a script takes longer than the rest of its start. */
export function compiledOnce(file: string): { readonly NODE_COMPILE_CACHE?: string } {
  const isNeeded = file.endsWith('.ts') && NODE_COMPILE_CACHE !== undefined;
  return isNeeded ? { NODE_COMPILE_CACHE } : {};
}

/** The process of a script. */
export function startRawServer(
  file: string,
  environment: Record<string, string> = {},
  node: string = process.execPath,
): RawServer {
  const child = spawn(node, [file], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH, HOME, FOVEA_TOOL_PROFILE: 'full', ...compiledOnce(file), ...environment },
  });
  const lines: string[] = [];
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
    child.emit('news');
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    child.emit('news');
  });
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'close').then(() => child.exitCode);
  const until = async <Value>(find: () => Value | undefined): Promise<Value> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The server ended. Its log: ${log}`);
      await Promise.race([once(child, 'news'), exited]);
    }
  };
  return {
    child,
    lines,
    log: () => log,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    write: (text) => child.stdin.write(text),
    endInput: () => child.stdin.end(),
    answer: (id) => until(() => lines.map(parse).find((m) => m.id === id && !('method' in m))),
    logged: (text) => until(() => log.includes(text) || undefined).then(() => undefined),
    exited: () => exited,
  };
}

export function parse(line: string): Message {
  const value: unknown = JSON.parse(line);
  return isMessage(value) ? value : { notAnObject: value };
}

export function initialize(protocolVersion = '2025-06-18', id = 1) {
  const clientInfo = { name: 'test', version: '1' };
  return { id, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } };
}

export function callTool(id: number, name: string, args: object = {}, _meta?: object) {
  return { id, method: 'tools/call', params: { name, arguments: args, ...(_meta && { _meta }) } };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
