// A store of secrets in memory, which ends with the process.

import type { Secret } from '../../secret.ts';
import type { SecretStore } from '../secret-store.ts';

export function memoryStore(): SecretStore {
  const kept = new Map<string, Secret>();
  return {
    name: 'memory',
    read: async (name) => kept.get(name),
    write: async (name, value) => void kept.set(name, value),
    remove: async (name) => void kept.delete(name),
  };
}
