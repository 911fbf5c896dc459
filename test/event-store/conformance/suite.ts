// The conformance suite of the Event Store.

import { randomBytes } from 'node:crypto';
import { runChecks } from '../../conformance/check.ts';
import { readStatements } from '../../conformance/statements.ts';
import type { ConformanceSuite } from '../../conformance/suite.ts';
import type { Context } from './check.ts';
import { checks } from './checks/index.ts';
import { createClient } from './client.ts';
import type { Cloud } from './cloud.ts';
import {
  environmentOf,
  type Profile,
  type ProfileName,
  profileNames,
  profiles,
} from './profiles.ts';

export interface Target {
  readonly url: string;
  readonly key: string | undefined;
  readonly cloud: Cloud;
}

export const defaultCloudPort = 8091;

/** On `cloudPort` the suite plays the cloud where a person starts the service. */
export function createEventStoreSuite(
  cloudPort = defaultCloudPort,
): ConformanceSuite<ProfileName, Target, Context> {
  return {
    statements: readStatements('Event Store'),
    profileNames,
    checks,
    describeProfile: (name) => {
      const { means, also }: Profile = profiles[name];
      const variables = Object.entries(environmentOf(name, `http://127.0.0.1:${cloudPort}`));
      const pairs = variables.map(([variable, value]) => `${variable}=${value}`).join(' ');
      return [means, pairs && `Start it with ${pairs}.`, also].filter(Boolean).join(' ');
    },
    runProfile: (name, target, onOutcome) => {
      const { isParallel = false }: Profile = profiles[name];
      return runChecks(checks[name], {
        openScriptedService: () => suiteFor(target),
        onOutcome,
        atOnceMax: isParallel ? Number.POSITIVE_INFINITY : 1,
      });
    },
  };
}

/** What a check of this service is given; each under a device id of its own. */
export function suiteFor({ url, key, cloud }: Target): Context {
  return {
    client: createClient(url, key),
    stranger: createClient(url),
    key,
    device: `conformance-${randomBytes(6).toString('hex')}`,
    cloud,
  };
}
