// Applications, the clients that people register: adds, lists and removes them. Clients of other
// kinds are in oauth-clients.ts.

import { randomBytes } from 'node:crypto';
import type { ApplicationValues } from '../commands.ts';
import { FoveaError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { validateRegistration } from './application-validation.ts';
import type { AccountStore, Application } from './store/account-store.ts';

export interface NewApplication {
  readonly application: Application;
  /** Shown only once; undefined for a public client. */
  readonly secret: Secret | undefined;
}

export interface Applications {
  /**
   * Throws `invalid_input` with all problems, and `conflict` for a resource that another
   * application has.
   */
  add(values: ApplicationValues, workspace: string): Promise<NewApplication>;
  /** Sorted by name; all, or those of some workspaces. */
  list(workspaces?: readonly string[]): Promise<readonly Application[]>;
  find(id: string): Promise<Application | undefined>;
  /** The application of an MCP server; `resource` without a trailing slash. */
  findByResource(resource: string): Promise<Application | undefined>;
  /**
   * From any workspace, or only from some; false: there is no such application. Its tokens become
   * invalid, since every token check looks up the application.
   */
  remove(id: string, workspaces?: readonly string[]): Promise<boolean>;
}

export function createApplications(store: AccountStore, now: () => number): Applications {
  const isIn = (workspaces: readonly string[] | undefined, { workspace }: Application) =>
    workspaces === undefined || workspaces.includes(workspace);
  return {
    add: async (values, workspace) => {
      const registration = validateRegistration(values, workspace);
      const isPublic = registration.authentication === 'none';
      const secret = isPublic ? undefined : new Secret(`fvs_${random(32)}`);
      const application: Application = {
        ...registration,
        id: `fva_${random(16)}`,
        secretHash: secret?.hash(),
        created: now(),
      };
      if (!(await store.addApplication(application))) {
        throw new FoveaError('conflict', 'Another application has that resource already.');
      }
      return { application, secret };
    },
    list: async (workspaces) =>
      (await store.applications()).filter((each) => isIn(workspaces, each)),
    find: (id) => store.application(id),
    findByResource: (resource) => store.applicationByResource(resource),
    remove: async (id, workspaces) => {
      const application = await store.application(id);
      if (application === undefined || !isIn(workspaces, application)) return false;
      return store.removeApplication(id);
    },
  };
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
