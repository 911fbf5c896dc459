// Holds a running Event Store against docs/spec/event-store.md, over HTTP alone, and prints which
// checks passed, failed or did not run:
// npm run conformance -- event-store --url http://127.0.0.1:8001

import { parseArgs } from 'node:util';
import { runSuiteCommand } from '../../test/conformance/command.ts';
import { startCloud } from '../../test/event-store/conformance/cloud.ts';
import { environmentOf } from '../../test/event-store/conformance/profiles.ts';
import {
  createEventStoreSuite,
  defaultCloudPort,
} from '../../test/event-store/conformance/suite.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8001' },
    key: { type: 'string' },
    profile: { type: 'string', default: 'default' },
    'cloud-port': { type: 'string', default: String(defaultCloudPort) },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const cloudPort = Number(values['cloud-port']);

process.exitCode = await runSuiteCommand(createEventStoreSuite(cloudPort), {
  values,
  usage: [
    'npm run conformance -- event-store [--url URL] [--key KEY] [--profile NAME] [--list]',
    '\nThe suite should be the only one that writes to the service.',
  ],
  notes: [
    '\n--list prints every statement of the document with the checks that prove it.',
    `--cloud-port is where the suite plays the cloud (${defaultCloudPort}).`,
  ],
  openTarget: async (name) => {
    const cloud = await startCloud(cloudPort);
    const key = values.key ?? environmentOf(name, cloud.url).API_KEY;
    return { target: { url: values.url, key, cloud }, close: () => cloud.close() };
  },
});
