// Requests in camelCase, snake_case and the mixture that real producers send.

import { describe, expect, test } from 'vitest';
import { normalizeMemberNames } from '../../../src/event-store/validation/member-names.ts';

describe('the body of a create', () => {
  test('in camelCase', () => {
    expect(
      normalizeMemberNames({
        eventSchema: 'custom',
        eventData: { value: 'a', external_id: 'kept as sent' },
        inferenceTimestamp: '2026-11-20T10:00:00Z',
        workflowVersion: '3',
        customMetadata: { shift_name: 'late' },
        displayImagePosition: 0,
        images: [{ inputBase64Image: 'AA==', objectDetections: [] }],
      }),
    ).toEqual({
      event_schema: 'custom',
      event_data: { value: 'a', external_id: 'kept as sent' },
      inference_timestamp: '2026-11-20T10:00:00Z',
      workflow_version: '3',
      custom_metadata: { shift_name: 'late' },
      displayImagePosition: 0,
      images: [{ inputBase64Image: 'AA==', objectDetections: [] }],
    });
  });

  test('in snake_case', () => {
    expect(
      normalizeMemberNames({
        event_schema: 'custom',
        display_image_position: 1,
        images: [{ base64_image: 'AA==', input_base64_image: 'AQ==', instance_segmentations: [] }],
      }),
    ).toEqual({
      event_schema: 'custom',
      displayImagePosition: 1,
      images: [{ base64Image: 'AA==', inputBase64Image: 'AQ==', instanceSegmentations: [] }],
    });
  });

  test('in the mixture of the public clients stays as it is', () => {
    const body = {
      inference_timestamp: '2026-11-20T10:00:00+00:00',
      event_schema: 'quality_check',
      event_data: { result: 'pass' },
      displayImagePosition: 0,
      custom_metadata: {},
      images: [{ base64Image: 'AA==', label: 'workflow' }],
    };
    expect(normalizeMemberNames(body)).toEqual(body);
  });

  test('unknown members stay, for the contract to refuse', () => {
    expect(normalizeMemberNames({ eventSchemas: 'x', EventSchema: 'y' })).toEqual({
      eventSchemas: 'x',
      EventSchema: 'y',
    });
  });

  test('in both spellings at once is refused with its place', () => {
    const twice = () =>
      normalizeMemberNames({
        event_schema: 'custom',
        eventSchema: 'custom',
        images: [{}, { base64Image: 'AA==', base64_image: 'AQ==' }],
      });
    expect(twice).toThrow('event_schema: is given twice');
    expect(twice).toThrow('images[1].base64Image: is given twice');
  });
});
