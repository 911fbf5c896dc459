// Has a running Node collect its garbage, through the inspector that every Node has: what it holds
// then, it needs or has lost.

import { setTimeout as wait } from 'node:timers/promises';
import type { Service } from '../attacks/service.ts';

/** For `node` of a service: the inspector takes any free port, once it is asked for. */
export const inspectorFlag = '--inspect-port=127.0.0.1:0';

const startMsMax = 5_000;

/** What has it done, each time. Throws where the process has no inspector. */
export async function openGarbageCollector(service: Service): Promise<() => Promise<void>> {
  process.kill(service.pid, 'SIGUSR1');
  const socket = new WebSocket(await inspectorUrl(service));
  await happens(socket, 'open');
  let lastId = 0;
  const call = async (method: string) => {
    lastId += 1;
    socket.send(JSON.stringify({ id: lastId, method }));
    await answerTo(socket, lastId);
  };
  await call('HeapProfiler.enable');
  return () => call('HeapProfiler.collectGarbage');
}

async function inspectorUrl({ log }: Service): Promise<string> {
  const endMs = performance.now() + startMsMax;
  while (performance.now() < endMs) {
    const url = /Debugger listening on (ws:\S+)/.exec(log())?.[1];
    if (url !== undefined) return url;
    await wait(50);
  }
  throw new Error(`no inspector: ${log()}`);
}

function happens(socket: WebSocket, event: 'open' | 'message'): Promise<Event> {
  const done = new AbortController();
  const options = { once: true, signal: done.signal };
  return new Promise<Event>((resolve, reject) => {
    socket.addEventListener(event, resolve, options);
    socket.addEventListener('error', () => reject(new Error('no inspector')), options);
  }).finally(() => done.abort());
}

async function answerTo(socket: WebSocket, id: number): Promise<void> {
  for (;;) {
    const message = await happens(socket, 'message');
    if (message instanceof MessageEvent && Object(JSON.parse(String(message.data))).id === id)
      return;
  }
}
