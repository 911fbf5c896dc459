// The settings of the profile that a command names.

import { profileName, readSettings, type Settings, withWorkspace } from '../config.ts';
import { invalidArgument } from '../errors.ts';

/** `profile` takes precedence over FOVEA_PROFILE. Throws `invalid_input` for an invalid name. */
export function settingsOf(profile: string | undefined): Settings {
  const settings = withWorkspace(readSettings());
  if (profile === undefined) return settings;
  const parsed = profileName(profile);
  if ('wrong' in parsed) throw invalidArgument('--profile', parsed.wrong);
  return { ...settings, profile: parsed.value };
}
