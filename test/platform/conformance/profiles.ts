// The settings under which the platform is started for a part of the checks.

export interface Profile {
  readonly means: string;
  /** How to start the platform, or what to give the suite. */
  readonly start: string;
}

export const profiles = {
  default: { means: 'Nothing is set.', start: '' },
  other: {
    means: 'There is a second workspace on the same platform.',
    start: '--other-key KEY: a credential of that workspace.',
  },
  model: {
    means: 'An ONNX detection model is configured.',
    start: 'Start it with FOVEA_MODEL=/path/to/model.onnx.',
  },
  video: {
    means: 'An ONNX detection model is configured, and FFmpeg is installed.',
    start: 'Start it with FOVEA_MODEL=/path/to/model.onnx, FFmpeg on its PATH.',
  },
  trainer: {
    means: 'A trainer is configured.',
    start: 'Start it with FOVEA_TRAINER=example, which "fovea trainer install example" sets up.',
  },
  limited: {
    means: 'Ten calls a minute.',
    start: 'Start it with FOVEA_RATE_LIMIT=10; run this profile once a minute.',
  },
  tokens: {
    means: 'There is an access token with workspace:read and project:read alone.',
    start: '--token TOKEN: an OAuth access token of the workspace with these scopes.',
  },
  'sign-in': {
    means: 'The sign-in service has an application and a person.',
    start:
      'Give --client-id, --client-secret, --redirect-uri, --email and --password; ' +
      '--basic-client-id and --basic-client-secret: an application with client_secret_basic.',
  },
  expired: {
    means: 'There is an access token that has expired.',
    start: '--expired-token TOKEN: an access token of the workspace, an hour old.',
  },
  applications: {
    means: 'The suite runs on the machine of the service, and may register an application.',
    start: '--data FOLDER: the data folder of the service.',
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

export const profileNames: readonly ProfileName[] = Object.keys(profiles).filter(isProfileName);

function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}
