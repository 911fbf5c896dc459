// The host around a page: JSON-RPC by messages to the parent window, as MCP Apps want it.

/** @typedef {import('./types.ts').View} View */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {Readonly<Record<string, unknown>>} Message */

/** The revision of MCP Apps that is spoken here. */
const protocolVersion = '2026-01-26';

/** @type {Map<number, { done: (result: unknown) => void, failed: (why: Error) => void }>} */
const waiting = new Map();
let lastId = 0;

/**
 * Introduces the page to its host, and shows what the host tells of the tool call.
 * @param {string} name
 * @param {View} view
 */
export async function connect(name, view) {
  /** @type {Host} */
  let host = { callTool: undefined };
  listen({
    'ui/notifications/tool-result': (result) => view.show(result, host),
    'ui/notifications/tool-cancelled': () => view.fail('The call was cancelled.'),
    'ui/notifications/host-context-changed': dress,
  });
  const answer = asRecord(
    await request('ui/initialize', {
      appInfo: { name, version: '1.0.0' },
      appCapabilities: {},
      protocolVersion,
    }),
  );
  dress(asRecord(answer.hostContext));
  if (asRecord(answer.hostCapabilities).serverTools !== undefined) {
    host = { callTool: (call) => request('tools/call', { name: call.tool, ...argumentsOf(call) }) };
  }
  notify('ui/notifications/initialized', {});
  tellSize();
}

/** @param {import('./types.ts').NextCall} call */
function argumentsOf(call) {
  return { arguments: call.arguments };
}

/**
 * Only the parent window is listened to.
 * @param {Readonly<Record<string, (params: Message) => void>>} handlers
 */
function listen(handlers) {
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent) return;
    const { id, method, params, result, error } = asRecord(data);
    if (typeof method === 'string') {
      handlers[method]?.(asRecord(params));
      // The host waits for this one before it takes the page away.
      if (id !== undefined) post({ id, result: {} });
      return;
    }
    if (typeof id !== 'number') return;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.done(result);
    else call?.failed(new Error(String(asRecord(error).message ?? 'The host refused.')));
  });
}

/**
 * @param {string} method
 * @param {Message} params
 * @returns {Promise<any>}
 */
function request(method, params) {
  lastId += 1;
  const id = lastId;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    post({ id, method, params });
  });
}

/**
 * @param {string} method
 * @param {Message} params
 */
function notify(method, params) {
  post({ method, params });
}

/** The origin of the host is not known, and nothing secret is said. @param {Message} message */
function post(message) {
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

/** The colours of the host, where it tells them. @param {Message} context */
function dress(context) {
  const { theme, styles } = context;
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(asRecord(asRecord(styles).variables))) {
    if (name.startsWith('--') && typeof value === 'string') {
      document.documentElement.style.setProperty(name, value);
    }
  }
}

/** The host makes room for what is shown. */
function tellSize() {
  const page = document.documentElement;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(page.getBoundingClientRect().height);
    notify('ui/notifications/size-changed', { width: page.clientWidth, height });
  });
  observer.observe(page);
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
export function asRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/**
 * @param {unknown} value
 * @returns {readonly unknown[]}
 */
export function asList(value) {
  return Array.isArray(value) ? value : [];
}

/**
 * The call of a tool that a result proposes as the next one.
 * @param {ToolResult} result
 * @param {string} tool
 * @returns {import('./types.ts').NextCall | undefined}
 */
export function nextCall(result, tool) {
  const calls = asList(result.structuredContent?.next).map(asRecord);
  const found = calls.find((call) => call.tool === tool);
  return found && { tool, arguments: asRecord(found.arguments) };
}
