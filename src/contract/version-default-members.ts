// Members of version settings that may be left out, and what they are then. Hosted platforms show
// all members of a setting, so they are sent whole.

type Defaults = Readonly<Record<string, boolean | number>>;

/** By the key of an augmentation; a `bb` form has those of the whole image. */
const memberDefaults: Readonly<Record<string, Defaults>> = {
  flip: { horizontal: false, vertical: false },
  ninety: { clockwise: false, 'counter-clockwise': false, 'upside-down': false },
  brightness: { brighten: false, darken: false },
  shear: { horizontal: 0, vertical: 0 },
  crop: { min: 0 },
};

/** The names of the directions of an augmentation: flags of which at least one should be true. */
export function directionsOf(key: string): readonly string[] {
  const defaults = Object.entries(defaultsOf(key));
  return defaults.filter(([, value]) => value === false).map(([name]) => name);
}

/** The setting with the members that were left out behind those that were given. */
export function withDefaultMembers<Setting>(key: string, setting: Setting): Setting;
export function withDefaultMembers(key: string, setting: unknown): unknown {
  if (typeof setting !== 'object' || setting === null) return setting;
  return { ...setting, ...defaultsOf(key), ...setting };
}

/** All augmentations with all their members, in the order in which they were given. */
export function withAllMembers<Augmentation extends object>(
  augmentation: Augmentation,
): Augmentation;
export function withAllMembers(augmentation: object): object {
  return Object.fromEntries(
    Object.entries(augmentation).map(([key, setting]) => [key, withDefaultMembers(key, setting)]),
  );
}

function defaultsOf(key: string): Defaults {
  const name = key.replace(/^bb/, '');
  return (Object.hasOwn(memberDefaults, name) && memberDefaults[name]) || {};
}
