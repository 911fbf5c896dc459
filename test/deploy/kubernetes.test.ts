// The manifests for Kubernetes, as far as they can be tried without a cluster: they name what there
// is, agree with the compose file, and a process that they start answers their probes.

import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { surveySettings } from '../../src/config.ts';
import { startFovea } from '../fixtures/fovea-services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { readDeployed } from './composed-services.ts';

const labels = z.record(z.string(), z.string());
const probe = z.object({
  httpGet: z.object({
    path: z.string(),
    port: z.string(),
    httpHeaders: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number(),
  failureThreshold: z.number(),
});
const secretKey = z.object({ name: z.string(), key: z.string() });
const container = z.object({
  image: z.literal('fovea'),
  args: z.array(z.string()),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({ name: z.string(), valueFrom: z.object({ secretKeyRef: secretKey }) }),
    ]),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z
    .object({ preStop: z.object({ exec: z.object({ command: z.array(z.string()) }) }) })
    .optional(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([container]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
  }),
});
const service = z.object({
  kind: z.literal('Service'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: labels,
    ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: z.string() })),
  }),
});
const budget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  spec: z.object({ maxUnavailable: z.number(), selector: z.object({ matchLabels: labels }) }),
});
const backend = z.object({
  service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }),
});
const ingress = z.object({
  kind: z.literal('Ingress'),
  spec: z.object({
    tls: z.array(z.object({ hosts: z.array(z.string()) })),
    rules: z.array(
      z.object({
        host: z.string(),
        http: z.object({ paths: z.array(z.object({ path: z.string(), backend })) }),
      }),
    ),
  }),
});
const settings = z.object({
  kind: z.literal('ConfigMap'),
  metadata: z.object({ name: z.string() }),
  data: labels,
});
const secret = z.object({
  kind: z.literal('Secret'),
  metadata: z.object({ name: z.string() }),
  stringData: labels,
});

const folder = join(import.meta.dirname, '../../deploy/kubernetes');

function documentsOf(name: string): readonly unknown[] {
  const documents = parseAllDocuments(readDeployed(`kubernetes/${name}`));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return documents.map((document) => document.toJS());
}

const { resources } = z
  .object({ resources: z.array(z.string()) })
  .parse(parse(readDeployed('kubernetes/kustomization.yaml')));
const applied = resources.flatMap(documentsOf);

function ofKind<T>(kind: z.ZodType<T>, documents: readonly unknown[] = applied): readonly T[] {
  const name = Object(kind).shape.kind.value;
  return documents.filter((one) => Object(one).kind === name).map((one) => kind.parse(one));
}

const deployments = ofKind(deployment);
const [config] = ofKind(settings);
const [secrets] = ofKind(secret, documentsOf('secrets.example.yaml'));
if (!config || !secrets) throw new Error('There are no settings.');

/** The variables of a container, with those of the example in place of secrets. */
function environmentOf({ spec }: (typeof deployments)[number]): Record<string, string> {
  const [{ env, envFrom }] = spec.template.spec.containers;
  expect(envFrom).toEqual([{ configMapRef: { name: config?.metadata.name } }]);
  const own = env.map((variable): [string, string] => {
    if ('value' in variable) return [variable.name, variable.value];
    const { name, key } = variable.valueFrom.secretKeyRef;
    expect(name).toBe(secrets?.metadata.name);
    return [variable.name, secrets?.stringData[key] ?? `no ${key} in the example`];
  });
  return { ...config?.data, ...Object.fromEntries(own) };
}

const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        image: z.string(),
        command: z.array(z.string()).default([]),
        environment: labels.default({}),
        stop_grace_period: z.string().optional(),
      }),
    ),
  })
  .parse(parse(readDeployed('compose.yaml'), { merge: true })).services;

function composed(name: string) {
  const found = compose[name] ?? compose[`${name}-1`];
  if (found === undefined) throw new Error(`The compose file has no ${name}.`);
  return found;
}

test('all files but the example are applied, and each is there', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const others = ['kustomization.yaml', 'secrets.example.yaml'];
  expect([...resources, ...others].sort()).toEqual(files.sort());
  expect(resources.every((name) => existsSync(join(folder, name)))).toBe(true);
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['platform', 'http', 'worker']);
});

describe.each(deployments.map((one) => [one.metadata.name, one] as const))('%s', (name, one) => {
  const { template, replicas, selector } = one.spec;
  const [pod] = template.spec.containers;

  test('has settings that are read, each of them right, and those of the compose file', () => {
    const environment = environmentOf(one);
    const { problems, unread } = surveySettings(environment);
    expect({ problems, unread }).toEqual({ problems: [], unread: [] });
    // Another store than that of AWS stands there as a comment.
    const wanted = Object.keys(composed(name).environment).filter(
      (variable) => variable !== 'AWS_ENDPOINT_URL_S3',
    );
    expect(Object.keys(environment).sort()).toEqual(wanted.sort());
    expect(environment.FOVEA_TASKS).toBe(composed(name).environment.FOVEA_TASKS);
  });

  test('has no secret among its settings', () => {
    const open = [...pod.env.filter((variable) => 'value' in variable).map((each) => each.name)];
    const all = [...open, ...Object.keys(config.data)];
    expect(all.filter((variable) => /KEY|SECRET|TOKEN|PASSWORD|DATABASE/.test(variable))).toEqual(
      [],
    );
    expect(Object.values(config.data).filter((value) => /:\/\/[^/]*@/.test(value))).toEqual([]);
  });

  test('listens where the compose file says, and its service leads there', () => {
    const at = (words: readonly string[], option: string) => words[words.indexOf(option) + 1];
    const { command } = composed(name);
    expect(pod.args[0]).toBe(command[0]);
    const services = ofKind(service).filter(({ metadata }) => metadata.name === name);
    if (name === 'worker') return expect([pod.ports, services]).toEqual([[], []]);
    const port = Number(at(command, '--port'));
    expect(Number(at(pod.args, '--port'))).toBe(port);
    expect(pod.ports).toEqual([{ name: 'http', containerPort: port }]);
    expect(services.map(({ spec }) => spec)).toEqual([
      { selector: template.metadata.labels, ports: [{ name: 'http', port, targetPort: 'http' }] },
    ]);
  });

  test('has copies, of which one at a time may go', () => {
    expect(selector.matchLabels).toEqual(template.metadata.labels);
    expect(replicas).toBeGreaterThanOrEqual(2);
    const budgets = ofKind(budget).filter(
      ({ spec }) => spec.selector.matchLabels.part === selector.matchLabels.part,
    );
    expect(budgets.map(({ spec }) => spec)).toEqual([{ maxUnavailable: 1, selector }]);
  });

  test('has time to end, beyond that in which it waits for the balancers', () => {
    const grace = Number.parseInt(composed(name).stop_grace_period ?? '', 10);
    const waits = name === 'worker' ? 0 : Number(pod.lifecycle?.preStop.exec.command[1]);
    expect(pod.lifecycle?.preStop.exec.command[0]).toBe(name === 'worker' ? undefined : 'sleep');
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + waits);
    // Out of service before that wait is over.
    const { periodSeconds = 0, timeoutSeconds = 0 } = pod.readinessProbe ?? {};
    expect(periodSeconds + timeoutSeconds).toBeLessThanOrEqual(name === 'worker' ? 0 : waits);
  });

  test('writes into its volumes alone, where the image has its data', () => {
    const mounted = pod.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounted).toEqual([/FOVEA_HOME=(\S+)/.exec(dockerfile())?.[1], '/tmp']);
    const volumes = template.spec.volumes.map((volume) => volume.name);
    expect(pod.volumeMounts.map((mount) => mount.name)).toEqual(volumes);
  });
});

const dockerfile = () => readDeployed('../Dockerfile');

describe.each(['platform', 'http'])('a process of %s', (name) => {
  test('answers its probes, and no others', async () => {
    const one = deployments.find(({ metadata }) => metadata.name === name);
    if (one === undefined) throw new Error(`There is no ${name}.`);
    const [pod] = one.spec.template.spec.containers;
    const home = await temporaryFolder();
    // Rows and files are in its folder here: what the probes ask is the same.
    const { FOVEA_DATABASE_URL, FOVEA_OBJECTS_URL, ...environment } = environmentOf(one);
    expect([FOVEA_DATABASE_URL, FOVEA_OBJECTS_URL]).toEqual([
      expect.stringMatching(/^postgres:/),
      expect.stringMatching(/^s3:/),
    ]);
    const args = pod.args.map((word) => (/^80\d\d$/.test(word) ? '0' : word));
    const started = await startFovea(args, { ...environment, FOVEA_HOME: home, HOME: home });
    onTestFinished(() => started.stop());
    const port = new URL(started.url).port;
    const probes = [pod.startupProbe, pod.livenessProbe, pod.readinessProbe];
    for (const probe of probes) {
      const { path = '', httpHeaders = [] } = probe?.httpGet ?? {};
      expect(probe?.httpGet.port).toBe('http');
      const headers = Object.fromEntries(httpHeaders.map((each) => [each.name, each.value]));
      expect(await statusOf(port, path, headers)).toBe(200);
      // As a kubelet without that header would ask.
      expect(await statusOf(port, path, { Host: `10.1.2.3:${port}` })).not.toBe(200);
    }
    expect(pod.readinessProbe?.httpGet.path).toContain('ready=1');
    expect(pod.livenessProbe?.httpGet.path).not.toContain('ready');
  });
});

function statusOf(port: string, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<number | undefined>((resolve, reject) => {
    const asked = request({ port, path, headers, host: '127.0.0.1' }, async (answer) => {
      await text(answer);
      resolve(answer.statusCode);
    });
    asked.on('error', reject).end();
  });
}

test('the ingress has the public host, and the paths of the proxy', () => {
  const { host } = new URL(config.data.FOVEA_PUBLIC_URL ?? '');
  const rules = ofKind(ingress).flatMap(({ spec }) => spec.rules);
  const hosts = ofKind(ingress).flatMap(({ spec }) => spec.tls.flatMap((tls) => tls.hosts));
  expect(new Set([...hosts, ...rules.map((rule) => rule.host)])).toEqual(new Set([host]));
  const paths = rules.flatMap((rule) => rule.http.paths);
  const to = (name: string) =>
    paths.filter((each) => each.backend.service.name === name).map(({ path }) => path);
  const [, ofHttp = ''] =
    /use_backend http if \{ path_beg ([^}]*) \}/.exec(readDeployed('haproxy.cfg')) ?? [];
  expect(to('http')).toEqual(ofHttp.trim().split(' '));
  expect(to('platform')).toEqual(['/']);
  expect(new Set(paths.map((each) => each.backend.service.port.name))).toEqual(new Set(['http']));
});
