// The place of stored files in an object store, as settings.

import type { Parsed, VariableReader } from './parsed-setting.ts';

/** A bucket of an S3 store, and where in it. The SDK of AWS finds credentials by itself. */
export interface ObjectStorageSettings {
  readonly bucket: string;
  /** Empty, or what all keys begin with, for example `fovea/`. */
  readonly prefix: string;
  /** Another store than that of AWS. */
  readonly endpoint: string | undefined;
  /** Undefined: that of the AWS profile. */
  readonly region: string | undefined;
  /** `redirect`: large downloads come from the store itself, by links that it takes for minutes. */
  readonly downloads: 'redirect' | 'stream';
}

/** Of the variables of AWS those that decide how its SDK is set up: it reads the others itself. */
export function readObjectStorageSettings(
  reader: Pick<VariableReader, 'read'>,
): ObjectStorageSettings | undefined {
  const place = reader.read('FOVEA_OBJECTS_URL', parseObjectsUrl, undefined);
  const downloads = reader.read('FOVEA_OBJECTS_DOWNLOADS', parseDownloads, undefined);
  if (place === undefined) return undefined;
  const store = readStore(reader);
  return {
    ...place,
    ...store,
    // Programs do not follow a link of ours to a private address, and browsers may not reach it.
    downloads: downloads ?? (store.endpoint === undefined ? 'redirect' : 'stream'),
  };
}

/** What imports may read of an object store. */
export interface ObjectImports {
  /** Empty: nothing. */
  readonly allowed: readonly Pick<ObjectStorageSettings, 'bucket' | 'prefix'>[];
  /** Where the platform keeps the files of all workspaces: never read by an import. */
  readonly own: ObjectStorageSettings | undefined;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

export const noObjectImports: ObjectImports = {
  allowed: [],
  own: undefined,
  endpoint: undefined,
  region: undefined,
};

/** `own`: as of `readObjectStorageSettings`. */
export function readObjectImports(
  reader: Pick<VariableReader, 'read'>,
  own: ObjectStorageSettings | undefined,
): ObjectImports {
  const allowed = reader.read('FOVEA_IMPORT_OBJECTS', parseObjectsUrls, []);
  if (allowed.length === 0) return { ...noObjectImports, own };
  // Read once, so that what is wrong is said once.
  const { endpoint, region } = own ?? readStore(reader);
  return { allowed, own, endpoint, region };
}

/** Of the variables of AWS those that say which store it is. */
function readStore(reader: Pick<VariableReader, 'read'>) {
  return {
    endpoint:
      reader.read('AWS_ENDPOINT_URL_S3', parseEndpoint, undefined) ??
      reader.read('AWS_ENDPOINT_URL', parseEndpoint, undefined),
    region: reader.read('AWS_REGION', parseRegion, undefined),
  };
}

/** Several, separated by commas. */
function parseObjectsUrls(text: string): Parsed<ObjectImports['allowed']> {
  const parsed = text.split(',').map((url) => parseImportUrl(url.trim()));
  const places = parsed.flatMap((one) => ('value' in one ? [one.value] : []));
  return places.length === parsed.length
    ? { value: places }
    : { wrong: 'must be s3://bucket or s3://bucket/prefix, several separated by commas' };
}

/** `s3://bucket/prefix`. */
export function objectsUrlOf({
  bucket,
  prefix,
}: Pick<ObjectStorageSettings, 'bucket' | 'prefix'>): string {
  return `s3://${bucket}/${prefix}`;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const objectsUrl = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/;

/** `s3://bucket/prefix`. */
export function parseObjectsUrl(
  text: string,
): Parsed<Pick<ObjectStorageSettings, 'bucket' | 'prefix'>> {
  const [, bucket, path = ''] = objectsUrl.exec(text) ?? [];
  const parts = path.split('/').filter((part) => part !== '');
  if (bucket === undefined || parts.some((part) => /^\.+$/.test(part))) {
    return {
      wrong:
        'must be s3:// with a bucket (3 to 63 small letters, digits, dots and hyphens) and ' +
        'perhaps a prefix, for example s3://my-bucket/fovea; ' +
        'AWS_ENDPOINT_URL_S3 is for the address of another store than AWS',
    };
  }
  return { value: { bucket, prefix: parts.map((part) => `${part}/`).join('') } };
}

/**
 * `s3://bucket/prefix` of objects that others named: any characters, and every slash counts. Parts
 * of dots are lost on the way to a store.
 */
export function parseImportUrl(
  text: string,
): Parsed<Pick<ObjectStorageSettings, 'bucket' | 'prefix'>> {
  const [, bucket, path = ''] = importUrl.exec(text) ?? [];
  if (bucket === undefined || hasDotParts(path) || path !== path.toWellFormed()) {
    return { wrong: 'must be s3://bucket/prefix, without control characters and parts of dots' };
  }
  return { value: { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` } };
}

const importUrl = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(\P{Cc}*))?$/u;

/** Whether a key has a part `.` or `..`, which addresses of objects lose. */
export function hasDotParts(key: string): boolean {
  return key.split('/').some((part) => part === '.' || part === '..');
}

function parseDownloads(text: string): Parsed<ObjectStorageSettings['downloads']> {
  return text === 'redirect' || text === 'stream'
    ? { value: text }
    : { wrong: 'must be redirect or stream' };
}

/** Plain http is for stores in a network of one's own. */
function parseEndpoint(text: string): Parsed<string> {
  const parsed = URL.parse(text);
  const isPlain = parsed !== null && !parsed.username && !parsed.password && !parsed.search;
  return isPlain && /^https?:$/.test(parsed.protocol)
    ? { value: parsed.href }
    : { wrong: 'must be the http or https URL of an object store, without a user name' };
}

function parseRegion(text: string): Parsed<string> {
  return /^[\w-]{1,60}$/.test(text)
    ? { value: text }
    : { wrong: 'must be the name of a region, for example eu-central-1' };
}
