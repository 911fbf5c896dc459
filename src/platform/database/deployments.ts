// The model that each project runs.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { DeployedModel, DeploymentStore } from '../store/deployments.ts';

export const deploymentTables: Migration = {
  name: 'deployments',
  sql: `
CREATE TABLE deployments (
  project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE, model TEXT,
  updated INTEGER NOT NULL
) STRICT;
`,
};

export function deploymentStore(database: AsyncDatabase): DeploymentStore {
  return {
    get: (projectId) =>
      database.get(
        'SELECT model FROM deployments WHERE project_id = ? AND model IS NOT NULL',
        [projectId],
        readModel,
      ),
    set: async (projectId, model, now) => {
      await database.run(
        `INSERT INTO deployments (project_id, model, updated) VALUES (?, ?, ?)
         ON CONFLICT (project_id) DO UPDATE SET model = excluded.model, updated = excluded.updated`,
        [projectId, model && JSON.stringify(model), now],
      );
    },
  };
}

function readModel(row: Row): DeployedModel | undefined {
  const value = row.json('model');
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('kind' in value) || !('modelId' in value)) return undefined;
  const name = 'name' in value && typeof value.name === 'string' ? value.name : undefined;
  return { kind: String(value.kind), modelId: String(value.modelId), name };
}
