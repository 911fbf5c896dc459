// Limits the connections of a service: their number, and one request at a time on each.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import { limits } from '../limits.ts';
import { customerNetwork } from '../network/client-address.ts';

/** `ended` is to be called when the response has closed. */
type Answer = (request: IncomingMessage, response: ServerResponse, ended: () => void) => void;

/**
 * Answers the requests of each connection one after the other (RFC 9112 section 9.3.2), so that a
 * thousand pipelined requests do not run at once. Closes connections whose client does not read its
 * answer, and, above the limit, one of the network with the most connections.
 */
export function answerConnections(server: Server, answer: Answer): void {
  const connections = new Connections();
  server.on('connection', (socket) => connections.open(socket));
  server.on('request', (request, response) => {
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    connection.take(() => answer(request, response, () => connection.ended()));
  });
  // No byte came or went for that time.
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

  /** Of the network with the most connections: an unused one, else an idle one, else the last. */
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

  /** 0: unused; then by the time of the last request; highest while a request is answered. */
  get worth(): number {
    return this.isBusy ? Number.POSITIVE_INFINITY : this.#usedMs;
  }

  /** Runs a request after those before it were answered. Closes the connection if too many wait. */
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
