// The settings under which the service is started for a part of the checks.

/** Filled with the address at which the suite plays the cloud. */
const cloudPlace = '{cloud}';

export interface Profile {
  readonly means: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What has to be done by hand, beside the variables. */
  readonly also?: string;
  /** Its checks wait, and may do so together. */
  readonly isParallel?: boolean;
}

const shortLife = { RETENTION_DAYS: '0.00004', CLEANUP_SECONDS: '0.2' };
const cloudOn = {
  CLOUD_UPLOAD_ENABLED: 'true',
  CLOUD_UPLOAD_URL: cloudPlace,
  CLOUD_UPLOAD_API_KEY: 'a-key-for-the-cloud',
};

export const profiles = {
  default: { means: 'Nothing is set.', environment: {} },
  key: { means: 'A key is set.', environment: { API_KEY: 'a-key-for-conformance' } },
  small: {
    means: 'Small limits.',
    environment: {
      MAX_RECORD_BYTES: '20000',
      MAX_VIDEO_UPLOAD_BYTES: '100000',
      MAX_LOCAL_ONLY_UPLOAD_BYTES: '50000',
    },
  },
  sweep: {
    means: 'Drafts are finalized after three seconds.',
    environment: { DRAFT_AUTO_FINALIZE_SECONDS: '3', DRAFT_SWEEP_SECONDS: '0.2' },
    isParallel: true,
  },
  retention: {
    means: 'Events are kept for three seconds.',
    environment: shortLife,
    isParallel: true,
  },
  records: {
    means: 'Six events at most, without a cloud.',
    environment: { MAX_RECORDS: '6', CLEANUP_SECONDS: '0.2' },
  },
  cloud: {
    means: 'Cloud upload without a default solution; events are kept for three seconds.',
    environment: { ...cloudOn, ...shortLife },
  },
  capacity: {
    means: 'Cloud upload with a default solution; six events at most.',
    environment: {
      ...cloudOn,
      DEFAULT_SOLUTION_ID: 'line-3',
      MAX_RECORDS: '6',
      CLEANUP_SECONDS: '0.2',
    },
  },
  broken: {
    means: 'Files cannot be stored.',
    environment: {},
    also: 'After the start, put an empty file in the place of each folder of the data folder.',
  },
  earlier: {
    means: 'The data folder holds events of an earlier version of the service.',
    environment: {},
    also: 'Start it on such a data folder; there is none before v2 that is public.',
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

export const profileNames: readonly ProfileName[] = Object.keys(profiles).filter(isProfileName);

function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}

/** The variables of a profile; its cloud is at that address. */
export function environmentOf(name: ProfileName, cloudUrl: string): Record<string, string> {
  const { environment }: Profile = profiles[name];
  return Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [
      variable,
      value.replace(cloudPlace, cloudUrl),
    ]),
  );
}
