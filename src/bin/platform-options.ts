// The options of the embedded platform that come from the settings, for each process that runs it.

import { basename } from 'node:path';
import type { Settings } from '../config.ts';
import { environmentOfOthers } from '../environment.ts';
import type { PlatformOptions } from '../platform/platform.ts';
import { pythonTrainers } from '../trainer-names.ts';
import { pythonTrainerCommand } from '../trainers/python-trainers.ts';
import type { TrainerCommand } from '../trainers/trainer-protocol.ts';

type FromSettings = Pick<
  PlatformOptions,
  | ('versionMultiplierMax' | 'databaseUrl' | 'objects' | 'model' | 'embedder' | 'trainer')
  | (
      | 'rateLimit'
      | 'environment'
      | 'proxies'
      | 'takesTasks'
      | 'metricsToken'
      | 'visionEventDays'
      | 'objectImports'
    )
>;

/** `rateLimit`: where the settings name none. */
export function platformOptions(settings: Settings, rateLimit: number): FromSettings {
  const { versionMultiplierMax, databaseUrl, objects, model, trainer, proxies } = settings;
  const { home, takesTasks, embedder, metricsToken, visionEventDays, objectImports } = settings;
  return {
    versionMultiplierMax,
    databaseUrl,
    objects,
    proxies,
    takesTasks,
    metricsToken,
    visionEventDays,
    objectImports,
    rateLimit: settings.rateLimit ?? rateLimit,
    environment: environmentOfOthers(),
    ...(model !== undefined && { model }),
    ...(embedder !== undefined && { embedder }),
    ...(trainer !== undefined && { trainer: trainerCommand(trainer, home, takesTasks) }),
  };
}

function trainerCommand(path: string, home: string, takesTasks: boolean): TrainerCommand {
  const inPython = pythonTrainers.find((name) => name === path);
  if (inPython !== undefined) {
    return { ...pythonTrainerCommand(inPython, home), isElsewhere: !takesTasks };
  }
  return { path, args: [], name: basename(path) };
}
