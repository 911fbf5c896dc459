// The events that the bench stores, as the body of a request and as the store takes them.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the picture of an event with an image has, before base64. */
const imageBytes = 200_000;

/** The body of POST /v2/events: about 1.5 KB, or with an image of 200 KB as base64. */
export function eventBody(ordinal: number, image?: Buffer): string {
  return JSON.stringify({
    ...eventHead(ordinal),
    event_data: { result: ordinal % 20 === 0 ? 'fail' : 'pass', externalId: `order-${ordinal}` },
    custom_metadata: metadata(ordinal),
    images: [
      {
        label: 'workflow',
        ...(image && { base64Image: image.toString('base64') }),
        objectDetections: detections(ordinal, 11),
      },
    ],
    displayImagePosition: 0,
  });
}

/** Six keys, as a line of a factory would send them. */
export function metadata(ordinal: number): Record<string, string | number | boolean> {
  const spread = scatter(ordinal);
  return {
    line: `line-${spread % 10}`,
    shift: `shift-${(spread >>> 4) % 3}`,
    serial: `SN-${ordinal}`,
    temperature: ((spread >>> 8) % 6_000) / 100,
    reworked: (spread >>> 12) % 25 === 0,
    operator: `operator-${(spread >>> 16) % 40}`,
  };
}

export function deviceId(ordinal: number): string {
  return `camera-${String(scatter(ordinal + 7) % 50).padStart(2, '0')}`;
}

/** A JPEG of 200 KB: one of the sample's, with comments up to that size. */
export function largeJpeg(): Buffer {
  const path = join(import.meta.dirname, '../../sample/blood-cells/JPEGImages');
  const image = readFileSync(join(path, 'BloodImage_00092.jpg'));
  const parts = [image.subarray(0, 2)];
  for (let missing = imageBytes - image.length; missing > 0; ) {
    const length = Math.min(missing, 65_000) - 4;
    if (length < 1) break;
    parts.push(Buffer.from([0xff, 0xfe, (length + 2) >> 8, (length + 2) & 0xff]));
    parts.push(randomBytes(length));
    missing -= length + 4;
  }
  return Buffer.concat([...parts, image.subarray(2)]);
}

function eventHead(ordinal: number) {
  return {
    solution: 'bottle-inspection',
    workflow_id: `workflow-${ordinal % 5}`,
    workflow_version: '3',
    inference_timestamp: '2026-11-21T06:29:50.123456Z',
    device_id: deviceId(ordinal),
    stream_id: `stream-${ordinal % 4}`,
    image_id: `frame-${ordinal}`,
    event_schema: 'quality_check',
  };
}

export function detections(ordinal: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    class: index % 2 === 0 ? 'bottle' : 'label',
    x: 100.5 + ((ordinal + index * 37) % 1_000),
    y: 200.25 + index * 41,
    width: 64.125 + index,
    height: 128.75 + (ordinal % 64),
    confidence: 0.5 + ((ordinal + index) % 500) / 1_000,
  }));
}

/** The same number for the same ordinal, without a pattern in time. */
function scatter(ordinal: number): number {
  let value = Math.imul(ordinal + 1, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
