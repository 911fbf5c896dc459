// What a client does at its desk.

import type { Random } from '../../src/seeded-random.ts';
import type { TestApplication } from '../../test/fixtures/authorization-server.ts';
import { type Caller, call } from './calls.ts';
import { Desk } from './desk.ts';
import { workspace } from './sign-in.ts';

/** Who also signs in at an application. */
export interface SigningIn extends Caller {
  readonly application: TestApplication;
}

export interface Worker extends SigningIn {
  readonly desk: Desk;
  readonly random: Random;
}

export type Deed = (worker: Worker) => Promise<void>;

export async function openDesk(caller: Caller, name: string): Promise<Desk | undefined> {
  const answer = await call(caller, {
    method: 'POST',
    path: `/${workspace}/projects`,
    body: { name, type: 'object-detection', annotation: 'things' },
  });
  return answer && new Desk(String(answer.body.id).split('/').at(-1) ?? '');
}
