// Applications that may ask people to sign in: registered, listed, removed.

import { randomBytes } from 'node:crypto';
import type { ApplicationValues } from '../command-line.ts';
import { FoveaError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { readRegistration } from './application-rules.ts';
import type { Application, PeopleStore } from './store/people-store.ts';

export interface NewApplication {
  readonly application: Application;
  /** Told this once; undefined for a public client. */
  readonly secret: Secret | undefined;
}

export interface Applications {
  /**
   * Registers what was typed. Throws `invalid_input` with all that is wrong, and `conflict` for a
   * resource that another one has.
   */
  add(values: ApplicationValues, workspace: string): NewApplication;
  /** By name; all, or those of some workspaces. */
  list(workspaces?: readonly string[]): readonly Application[];
  find(id: string): Application | undefined;
  /** The application that is this MCP server; `resource` without a slash at its end. */
  findByResource(resource: string): Application | undefined;
  /**
   * From any workspace, or from some alone; false: there is none. Its tokens end with it, since
   * whoever checks a token looks for its application.
   */
  remove(id: string, workspaces?: readonly string[]): boolean;
}

export function createApplications(store: PeopleStore, now: () => number): Applications {
  const isIn = (workspaces: readonly string[] | undefined, { workspace }: Application) =>
    workspaces === undefined || workspaces.includes(workspace);
  return {
    add: (values, workspace) => {
      const registration = readRegistration(values, workspace);
      const isPublic = registration.authentication === 'none';
      const secret = isPublic ? undefined : new Secret(`fvs_${random(32)}`);
      const application: Application = {
        ...registration,
        id: `fva_${random(16)}`,
        secretHash: secret?.hash(),
        created: now(),
      };
      if (!store.addApplication(application)) {
        throw new FoveaError('conflict', 'Another application has that resource already.');
      }
      return { application, secret };
    },
    list: (workspaces) => store.applications().filter((each) => isIn(workspaces, each)),
    find: (id) => store.application(id),
    findByResource: (resource) => store.applicationByResource(resource),
    remove: (id, workspaces) => {
      const application = store.application(id);
      if (application === undefined || !isIn(workspaces, application)) return false;
      return store.removeApplication(id);
    },
  };
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
