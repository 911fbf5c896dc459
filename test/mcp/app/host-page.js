// A host of MCP Apps in a browser, with the bridge of the package: one frame, and what it asked for.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const asked = { calls: [], sizes: [], isReady: false };
globalThis.asked = asked;

/** Shows a page in a sandbox without an origin, and answers its calls with `later`. */
globalThis.showApp = async (html, { capabilities, context, later }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.width = '100%';
  frame.style.height = '700px';
  document.body.append(frame);
  const info = { name: 'test-host', version: '1.0.0' };
  const bridge = new AppBridge(null, info, capabilities, { hostContext: context });
  bridge.oncalltool = async (call) => {
    asked.calls.push(call);
    return later;
  };
  bridge.onsizechange = (size) => asked.sizes.push(size);
  const ready = new Promise((done) => {
    bridge.oninitialized = () => done();
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  asked.isReady = true;
  globalThis.bridge = bridge;
};
