// The place of stored files in an object store, as settings.

import type { Parsed, VariableReader } from './parsed-setting.ts';

/** A bucket of an S3 store, and where in it. The SDK of AWS finds credentials by itself. */
export interface ObjectsPlace {
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
export function readObjectsPlace(reader: Pick<VariableReader, 'read'>): ObjectsPlace | undefined {
  const place = reader.read('FOVEA_OBJECTS_URL', parseObjectsUrl, undefined);
  const downloads = reader.read('FOVEA_OBJECTS_DOWNLOADS', parseDownloads, undefined);
  if (place === undefined) return undefined;
  const endpoint =
    reader.read('AWS_ENDPOINT_URL_S3', parseEndpoint, undefined) ??
    reader.read('AWS_ENDPOINT_URL', parseEndpoint, undefined);
  return {
    ...place,
    endpoint,
    region: reader.read('AWS_REGION', parseRegion, undefined),
    // Programs do not follow a link of ours to a private address, and browsers may not reach it.
    downloads: downloads ?? (endpoint === undefined ? 'redirect' : 'stream'),
  };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const objectsUrl = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/;

/** `s3://bucket/prefix`. */
export function parseObjectsUrl(text: string): Parsed<Pick<ObjectsPlace, 'bucket' | 'prefix'>> {
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

function parseDownloads(text: string): Parsed<ObjectsPlace['downloads']> {
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
