// Every operation, by its id. Nothing else lists them.

import { annotation } from './annotation.ts';
import { apiKeys } from './api-keys.ts';
import { deployment } from './deployment.ts';
import { eventStore } from './event-store.ts';
import { events } from './events.ts';
import { folders } from './folders.ts';
import { images } from './images.ts';
import { monitoring } from './monitoring.ts';
import { ownOperations } from './own.ts';
import { projects } from './projects.ts';
import { search } from './search.ts';
import { tasks } from './tasks.ts';
import { trainings } from './trainings.ts';
import { trash } from './trash.ts';
import { versions } from './versions.ts';
import { video } from './video.ts';
import { visionEvents } from './vision-events.ts';
import { workspace } from './workspace.ts';

/** The management API (docs/spec/api.md). */
export const platformOperations = Object.freeze({
  ...workspace,
  ...projects,
  ...versions,
  ...trainings,
  ...apiKeys,
  ...folders,
  ...images,
  ...annotation,
  ...search,
  ...trash,
  ...tasks,
  ...deployment,
  ...monitoring,
  ...visionEvents,
  ...video,
});

/** What the embedded platform serves: docs/spec/api.md, and what is our own. */
export const embeddedOperations = Object.freeze({ ...platformOperations, ...ownOperations });

/** What our Event Store serves: docs/spec/event-store.md, and what is our own. */
export const deviceOperations = Object.freeze({ ...events, ...eventStore });

/** All operations of docs/spec, the device Event Store included. */
export const operations = Object.freeze({ ...platformOperations, ...events });
