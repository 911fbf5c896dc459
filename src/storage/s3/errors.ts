// Translates the errors of an S3 store and of the way to it.

import { FoveaError, systemErrorCode } from '../../errors.ts';
import type { ObjectStorageSettings } from '../../object-storage-settings.ts';
import { ServiceAway } from '../service-away.ts';

/**
 * What the SDK threw, in our words and with what to set. The original is not kept as a cause: it
 * has the request, with its signature. Our own errors stay, as do those of local files.
 */
export function asObjectsError(thrown: unknown, { bucket }: ObjectStorageSettings): unknown {
  if (thrown instanceof FoveaError) return thrown;
  if (isOfLocalFile(thrown)) return thrown;
  const { name, status } = failureOf(thrown);
  const cause = new ObjectsFailure(name, status);
  const known = meanings.get(name) ?? meaningOfStatus(status) ?? meaningOfText(thrown);
  if (known !== undefined) {
    const message = known.message.replace('BUCKET', () => `"${bucket}"`);
    return new FoveaError('internal', message, { hint: known.hint, cause });
  }
  if (status !== undefined && isRefusal(name, status)) {
    const message = `The object store refused a request (${word(name)}, ${status}).`;
    return new FoveaError('internal', message, { cause });
  }
  const reason = word(String(status ?? systemErrorCode(thrown) ?? name));
  const message = `The object store cannot be reached (${reason}).`;
  return new ServiceAway('object-store', message, cause);
}

/** Whether that object is not there, while its bucket is. */
export function isMissingObject(thrown: unknown): boolean {
  const { name } = failureOf(thrown);
  return name === 'NoSuchKey' || name === 'NotFound';
}

/** What may be logged of a failure. */
class ObjectsFailure extends Error {
  override readonly name = 'ObjectsFailure';

  constructor(name: string, status: number | undefined) {
    super(`${word(name)}, status ${status ?? 'none'}`);
  }
}

function failureOf(thrown: unknown): { readonly name: string; readonly status?: number } {
  if (!(thrown instanceof Error)) return { name: 'Unknown' };
  const { name } = thrown;
  const metadata = '$metadata' in thrown ? thrown.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return { name };
  const status = 'httpStatusCode' in metadata ? metadata.httpStatusCode : undefined;
  return typeof status === 'number' ? { name, status } : { name };
}

/** The SDK adds its metadata to all that it throws; a file that cannot be read is not its own. */
function isOfLocalFile(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && 'path' in thrown;
}

/** Not one that would be answered later. */
function isRefusal(name: string, status: number): boolean {
  if (status === notImplemented) return true;
  return status >= 400 && status < 500 && !isForLater(name, status);
}

const notImplemented = 501;

function isForLater(name: string, status: number): boolean {
  return status === 408 || status === 429 || /^(SlowDown|RequestTimeout|Throttl)/.test(name);
}

/** A name that others chose, as far as it is a word. */
function word(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : 'unknown';
}

interface Meaning {
  readonly message: string;
  readonly hint: string;
}

const denied: Meaning = {
  message: 'The credentials may not do that in the bucket BUCKET.',
  hint: 'Allow s3:ListBucket of the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject of what is in it.',
};

const unknownKey: Meaning = {
  message: 'The object store does not take these credentials.',
  hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the AWS profile or role.',
};

const otherRegion: Meaning = {
  message: 'The bucket BUCKET is in another region.',
  hint: 'Set AWS_REGION to the region of the bucket.',
};

const noCredentials: Meaning = {
  message: 'There are no credentials for the object store.',
  hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an AWS profile or role.',
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, and names of the SDK. */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  [
    'NoSuchBucket',
    {
      message: 'There is no bucket BUCKET.',
      hint: 'Create it, or correct FOVEA_OBJECTS_URL and AWS_ENDPOINT_URL_S3.',
    },
  ],
  ['AccessDenied', denied],
  ['Forbidden', denied],
  ['InvalidAccessKeyId', unknownKey],
  ['SignatureDoesNotMatch', unknownKey],
  ['ExpiredToken', unknownKey],
  ['InvalidToken', unknownKey],
  ['PermanentRedirect', otherRegion],
  ['AuthorizationHeaderMalformed', otherRegion],
  ['IllegalLocationConstraintException', otherRegion],
  ['CredentialsProviderError', noCredentials],
  [
    'RequestTimeTooSkewed',
    {
      message: 'The clock of this machine differs too much from that of the object store.',
      hint: 'Let the system set its time from the network.',
    },
  ],
]);

/** The SDK gives this one no name. */
function meaningOfText(thrown: unknown): Meaning | undefined {
  const isOfRegion = thrown instanceof Error && thrown.message === 'Region is missing';
  return isOfRegion
    ? { message: 'The region of the bucket is not set.', hint: 'Set AWS_REGION.' }
    : undefined;
}

/** Answers without a body have no name. */
function meaningOfStatus(status: number | undefined): Meaning | undefined {
  if (status === 301) return otherRegion;
  return status === 403 ? denied : undefined;
}
