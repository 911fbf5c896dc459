// The draft sweep: who forgot to finalize, and who is only slow.

import { describe, expect, test } from 'vitest';
import { cloudOn, hourMs, openTestStore, patiently, secondMs } from './test-store.ts';

const settings = { DRAFT_AUTO_FINALIZE_SECONDS: '3600' };

describe('the draft sweep', () => {
  test('finalizes what is older, and says when and that it did', async () => {
    const { store, create, clock, retention } = await openTestStore({ settings });
    const draft = await create({ draft: true });
    clock.advance(hourMs + secondMs);
    await retention.cleanNow();
    const swept = await store.get(draft);
    expect(swept).toMatchObject({ draft: false, upload: 'waiting' });
    expect(swept?.autoFinalizedAt).toBe(clock.now() * 1000);
    expect(swept?.finalizedAt).toBe(swept?.autoFinalizedAt);
  });

  test('leaves younger ones', async () => {
    const { store, create, clock, retention } = await openTestStore({ settings });
    const draft = await create({ draft: true });
    clock.advance(hourMs - secondMs);
    await retention.cleanNow();
    expect((await store.get(draft))?.draft).toBe(true);
  });

  test('leaves one to which a file is being attached, until it is', async () => {
    const { store, create, clock, retention, uploadsInProgress } = await openTestStore({
      settings,
    });
    const draft = await create({ draft: true });
    clock.advance(2 * hourMs);
    await uploadsInProgress.during(draft, async () => {
      await retention.cleanNow();
      expect((await store.get(draft))?.draft).toBe(true);
    });
    await retention.cleanNow();
    expect((await store.get(draft))?.draft).toBe(false);
  });

  test('goes by itself, and takes more than one batch', async () => {
    const { store, create, clock } = await openTestStore({
      settings: { ...settings, ...cloudOn, DRAFT_SWEEP_SECONDS: '0.1' },
    });
    await Promise.all(Array.from({ length: 150 }, () => create({ draft: true })));
    clock.advance(2 * hourMs);
    await expect.poll(async () => (await store.usage()).drafts, patiently).toBe(0);
    expect((await store.usage()).waiting).toBe(150);
  });
});
