// The settings of the Event Store: defaults, and every bad variable named at once.

import { describe, expect, test } from 'vitest';
import { readEventStoreSettings } from '../src/event-store-config.ts';

describe('the settings of the Event Store', () => {
  test('have defaults', () => {
    expect(readEventStoreSettings({})).toEqual({
      apiKey: undefined,
      allowedHosts: [],
      defaultSolutionId: undefined,
      videoBytesMax: 1_073_741_824,
      localOnlyBytesMax: 1_073_741_824,
      recordBytesMax: 52_428_800,
      draftAutoFinalizeSeconds: 3_600,
      draftSweepSeconds: 30,
      retentionDays: 1,
      recordsMax: 10_000_000,
      bytesMax: undefined,
      reserveBytes: 33_554_432,
      cleanupSeconds: 60,
      schemasFolder: undefined,
      cloud: undefined,
    });
  });

  test('are read', () => {
    const settings = readEventStoreSettings({
      API_KEY: 'k',
      ALLOWED_HOSTS: 'line-3.lan, 10.0.0.7:8001',
      RETENTION_DAYS: '0.5',
      MAX_RECORDS: '10',
      RESERVE_BYTES: '0',
      CLOUD_UPLOAD_ENABLED: 'true',
      CLOUD_UPLOAD_URL: 'https://api.example.com/',
    });
    expect(settings.apiKey?.reveal()).toBe('k');
    expect(settings).toMatchObject({
      allowedHosts: ['line-3.lan', '10.0.0.7:8001'],
      retentionDays: 0.5,
      recordsMax: 10,
      reserveBytes: 0,
      cloud: { url: 'https://api.example.com', apiKey: undefined },
    });
  });

  test('a cloud that is named is not used while upload is off', () => {
    const settings = readEventStoreSettings({ CLOUD_UPLOAD_URL: 'https://api.example.com' });
    expect(settings.cloud).toBeUndefined();
  });

  test('every bad variable is named at once', () => {
    const read = () =>
      readEventStoreSettings({
        API_KEY: '  ',
        ALLOWED_HOSTS: 'http://line-3.lan',
        RETENTION_DAYS: '-1',
        MAX_RECORDS: '0',
        MAX_RECORD_BYTES: '1000000000',
        CLEANUP_SECONDS: '0',
        EVENT_SCHEMAS_FOLDER: 'here',
        CLOUD_UPLOAD_ENABLED: 'yes',
      });
    for (const wrong of [
      'API_KEY: must be a key, or not be set',
      'ALLOWED_HOSTS: must be hosts separated by commas',
      'RETENTION_DAYS: must be a number above 0',
      'MAX_RECORDS: must be a whole number of at least 1',
      'MAX_RECORD_BYTES: must be a whole number from 1 to 83886080',
      'CLEANUP_SECONDS: must be a number from 0.1 to 86400',
      'EVENT_SCHEMAS_FOLDER: must be an absolute path',
      'CLOUD_UPLOAD_URL: must be set while CLOUD_UPLOAD_ENABLED is on',
    ]) {
      expect(read).toThrow(wrong);
    }
  });

  test('a key that was never filled in leaves no store open', () => {
    const secret = `$${'{STORE_KEY}'}`;
    expect(() => readEventStoreSettings({ API_KEY: secret })).toThrow('API_KEY: must be a key');
    expect(readEventStoreSettings({ API_KEY: '' }).apiKey).toBeUndefined();
  });
});
