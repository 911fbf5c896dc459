// A host of MCP Apps in a browser, with the bridge of the package: one frame, and what it asked for.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const asked = { calls: [], sizes: [], modes: [], told: [], isReady: false, isGone: false };
globalThis.asked = asked;

/**
 * Shows a page in a sandbox without an origin, and answers its calls: with `later`, or as the function
 * `relay` of the window does; none where it `isGone`. The frame is as high as the page asks for.
 */
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
    if (asked.isGone) throw new Error('The host has lost its server.');
    return globalThis.relay === undefined ? later : globalThis.relay(call);
  };
  bridge.onupdatemodelcontext = async ({ content = [] }) => {
    asked.told.push(content.map(({ text }) => text).join(' '));
    return {};
  };
  bridge.onsizechange = (size) => {
    asked.sizes.push(size);
    frame.style.height = `${Math.min(size.height, 4_000)}px`;
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    asked.modes.push(mode);
    return { mode };
  };
  const ready = new Promise((done) => {
    bridge.oninitialized = () => done();
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  asked.isReady = true;
  globalThis.bridge = bridge;
};
