// Names this process, for whoever asks at an address which process answers there.

import { randomUUID } from 'node:crypto';

export const instance: string = randomUUID();
