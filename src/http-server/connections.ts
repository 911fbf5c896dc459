// Limits the connections of a service: their number, and one request at a time on each.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { customerNetwork } from '../boundary/client-address.ts';
import { systemClock } from '../clock.ts';
import { limits } from '../limits.ts';

/** `ended` is to be called when the response has closed. */
type Answer = (request: IncomingMessage, response: ServerResponse, ended: () => void) => void;

/**
 * Has every request of the server answered: those of one connection one after the other (RFC 9112
 * section 9.3.2), so that a thousand in one piece do not all run at once. Cuts whoever does not
 * read an answer, and where there are too many connections, one of those who have most.
 */
export function answerConnections(server: Server, answer: Answer): void {
  const connections = new Connections();
  server.on('connection', (socket) => connections.open(socket));
  server.on('request', (request, response) => {
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    connection.take(() => answer(request, response, () => connection.ended()));
  });
  // Time passes without a byte in either direction.
  server.timeout = limits.answerIdleMsMax;
  server.keepAliveTimeout = limits.keepAliveMsMax;
  server.on('timeout', (socket) => {
    const isWorking = connections.of(socket)?.isBusy === true && socket.writableLength === 0;
    if (isWorking) socket.setTimeout(limits.answerIdleMsMax);
    else socket.destroy();
  });
}

class Connections {
  readonly #all = new Map<Socket, Connection>();
  /** By the network of the peer; the oldest first. */
  readonly #networks = new Map<string, Set<Connection>>();

  of(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  open(socket: Socket): void {
    const network = customerNetwork(socket.remoteAddress ?? '');
    const connection = new Connection(socket);
    const own = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, own.add(connection));
    this.#all.set(socket, connection);
    socket.on('close', () => {
      this.#all.delete(socket);
      own.delete(connection);
      if (own.size === 0) this.#networks.delete(network);
    });
    if (this.#all.size > limits.connectionsMax) this.#cutOne();
  }

  /** Of those who have most: one that asked for nothing yet, else an idle one, else the last. */
  #cutOne(): void {
    let most: ReadonlySet<Connection> = new Set();
    for (const own of this.#networks.values()) if (own.size >= most.size) most = own;
    let victim: Connection | undefined;
    for (const connection of most) {
      if (connection.isCut) continue;
      if (victim === undefined || connection.worth <= victim.worth) victim = connection;
      if (victim.worth === 0) break;
    }
    victim?.cut();
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #usedMs = 0;
  isBusy = false;
  isCut = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** 0: nothing was asked for yet; then by the time when it was; most while something is. */
  get worth(): number {
    return this.isBusy ? Number.POSITIVE_INFINITY : this.#usedMs;
  }

  /** Runs it once all that was asked before it was answered. Cuts whoever asks for too much. */
  take(run: () => void): void {
    if (this.isCut) return;
    if (!this.isBusy) {
      this.isBusy = true;
      run();
    } else if (this.#waiting.length < limits.pipelinedRequestsMax) this.#waiting.push(run);
    else this.cut();
  }

  ended(): void {
    const next = this.isCut ? undefined : this.#waiting.shift();
    if (next) next();
    else {
      this.isBusy = false;
      this.#usedMs = systemClock.monotonic();
    }
  }

  cut(): void {
    this.isCut = true;
    this.#socket.destroy();
  }
}
