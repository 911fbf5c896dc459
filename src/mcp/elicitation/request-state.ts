// The confirmation that a person is asked for, as it travels through the host and back: sealed, for
// one target, for a limited time, and for one answer (`requestState` of MCP 2026-07-28).

import { randomBytes, randomUUID } from 'node:crypto';
import {
  createRequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { limits } from '../../limits.ts';

export interface RequestState {
  /** For the options of a server: refuses state that is forged, expired, or of another caller. */
  verify(state: string, context: ServerContext): Promise<unknown>;
  /** The state that goes out with a question about a target. */
  seal(target: string, context: ServerContext): Promise<string>;
  /**
   * The target that a repeated request answers about; empty, which is no target: the question was
   * answered before. Undefined: the request answers no question.
   */
  redeem(context: ServerContext): string | undefined;
  /** Counts a question that the host of this connection refused without showing it. */
  droppedBy(server: Server): void;
  /** Whether the host dropped so many questions that it is asked no more. */
  dropsQuestions(server: Server): boolean;
}

/**
 * Request state per principal of this process: no caller can answer a question to another. State
 * sealed by another process is refused, since its key is gone.
 */
export function createRequestStates(): (principal: string) => RequestState {
  const key = randomBytes(32);
  const used = new Set<string>();
  const dropped = new WeakMap<Server, number>();
  return (principal) => {
    const codec = createRequestStateCodec<Sealed>({
      key,
      ttlSeconds: limits.requestStateSecondsMax,
      bind: ({ mcpReq }) => JSON.stringify([mcpReq.method, principal]),
    });
    return {
      verify: codec.verify,
      seal: (target, context) => codec.mint({ target, nonce: randomUUID() }, context),
      redeem: (context) => {
        const sealed = sealedIn(context);
        if (sealed === undefined) return undefined;
        if (used.has(sealed.nonce)) return '';
        remember(used, sealed.nonce);
        return sealed.target;
      },
      droppedBy: (server) => void dropped.set(server, (dropped.get(server) ?? 0) + 1),
      dropsQuestions: (server) => (dropped.get(server) ?? 0) >= limits.droppedQuestionsMax,
    };
  };
}

interface Sealed {
  readonly target: string;
  /** Redeemed once. */
  readonly nonce: string;
}

/** The server has verified the state before. */
function sealedIn({ mcpReq }: ServerContext): Sealed | undefined {
  const state: unknown = mcpReq.requestState();
  if (typeof state !== 'object' || state === null) return undefined;
  if (!('target' in state) || !('nonce' in state)) return undefined;
  const { target, nonce } = state;
  return typeof target === 'string' && typeof nonce === 'string' ? { target, nonce } : undefined;
}

/** The oldest nonces are forgotten: by then their states have expired. */
function remember(used: Set<string>, nonce: string): void {
  used.add(nonce);
  const [oldest] = used;
  if (oldest !== undefined && used.size > limits.redeemedStatesMax) used.delete(oldest);
}
