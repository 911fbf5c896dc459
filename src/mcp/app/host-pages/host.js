// The host around a page: JSON-RPC by messages to the parent window, as MCP Apps want it.

/** @typedef {import('./types.ts').View} View */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {Readonly<Record<string, unknown>>} Message */

/** The revision of MCP Apps that is spoken here. */
const protocolVersion = '2026-01-26';

/** A host may ask its user first. */
const answerMsMax = 120_000;

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
  let host = { callTool: undefined, changeMode: undefined, tellModel: undefined };
  listen({
    'ui/notifications/tool-result': (result) => view.show(result, host),
    'ui/notifications/tool-cancelled': () => view.fail('The call was cancelled.'),
    'ui/notifications/host-context-changed': dress,
    'ui/resource-teardown': () => view.end?.(),
  });
  const answer = asRecord(
    await request('ui/initialize', {
      appInfo: { name, version: '1.0.0' },
      appCapabilities: {},
      protocolVersion,
    }),
  );
  const context = asRecord(answer.hostContext);
  dress(context);
  const { serverTools, updateModelContext } = asRecord(answer.hostCapabilities);
  const callsTools = serverTools !== undefined;
  const hasModes = asList(context.availableDisplayModes).includes('fullscreen');
  host = {
    callTool: callsTools
      ? (call) => request('tools/call', { name: call.tool, ...argumentsOf(call) })
      : undefined,
    changeMode: hasModes ? changeMode : undefined,
    tellModel:
      updateModelContext === undefined
        ? undefined
        : (text) => request('ui/update-model-context', { content: [{ type: 'text', text }] }),
  };
  notify('ui/notifications/initialized', {});
  tellSize();
}

/** @param {import('./types.ts').DisplayMode} mode */
async function changeMode(mode) {
  const { mode: now } = asRecord(await request('ui/request-display-mode', { mode }));
  dress({ displayMode: now });
}

/** @param {import('./types.ts').NextCall} call */
function argumentsOf(call) {
  return { arguments: call.arguments };
}

/**
 * Only the parent window is listened to.
 * @param {Readonly<Record<string, (params: Message) => void | Promise<void> | undefined>>} handlers
 */
function listen(handlers) {
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent) return;
    const { id, method, params, result, error } = asRecord(data);
    if (typeof method === 'string') {
      const done = handlers[method]?.(asRecord(params));
      // The host waits for this one before it takes the page away.
      if (id !== undefined) void Promise.resolve(done).then(() => post({ id, result: {} }));
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
    setTimeout(() => {
      if (waiting.delete(id)) failed(new Error('The host does not answer.'));
    }, answerMsMax);
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
  const { theme, styles, displayMode } = context;
  if (displayMode !== undefined) {
    document.documentElement.classList.toggle('is-fullscreen', displayMode === 'fullscreen');
  }
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
