// Handler of versions_diff: what changed from one version to another.

import type { versionExtensions } from '../../contract/versions.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { isJsonObject } from '../../json-object.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Version } from '../store/versions.ts';
import { findVersion } from '../versions.ts';

const imagesDefault = 20;

export function versionDiffHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof versionExtensions, Principal> {
  return {
    versions_diff: async ({ project: slug, limit = imagesDefault, offset = 0, ...input }, call) => {
      const find = (version: number) =>
        findVersion(dependencies, call.principal, { project: slug, version });
      const { project, version: from } = await find(input.from);
      const { version: to } = await find(input.to);
      const page = { limit, offset };
      return {
        from: outline(from),
        to: outline(to),
        settings: diffSettings(from.settings, to.settings),
        ...(await dependencies.store.versions.diff(project.workspaceId, from.id, to.id, page)),
      };
    },
  };
}

/** `state` of a version that is not ready: it has no images of its own yet. */
function outline({ number, images, splits, classes, state }: Version) {
  return { version: number, images, splits, classes, ...(state !== 'ready' && { state }) };
}

interface ChangedSetting {
  /** Its path. */
  readonly setting: string;
  /** Undefined: not set there. */
  readonly from: unknown;
  readonly to: unknown;
}

/** The settings that differ, by their path; a list is one value. */
function diffSettings(from: object, to: object): readonly ChangedSetting[] {
  const [before, after] = [new Map(membersIn(from, '')), new Map(membersIn(to, ''))];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names
    .map((setting) => ({ setting, from: before.get(setting), to: after.get(setting) }))
    .filter((changed) => JSON.stringify(changed.from) !== JSON.stringify(changed.to));
}

type Setting = readonly [path: string, value: unknown];

function membersIn(holder: object, path: string): readonly Setting[] {
  return Object.entries(holder).flatMap(([name, value]) => settingsIn(value, `${path}${name}`));
}

/** A step without members is a setting itself; preprocessing without steps is none. */
function settingsIn(value: unknown, path: string): readonly Setting[] {
  if (!isJsonObject(value)) return [[path, value]];
  const isStep = path.includes('.');
  return isStep && Object.keys(value).length === 0 ? [[path, value]] : membersIn(value, `${path}.`);
}
