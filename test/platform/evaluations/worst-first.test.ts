// Images as an evaluation judged them come worst first: in searches, in its panels, and in the jobs
// that are made of them. What it does not know is refused.

import { describe, expect, it } from 'vitest';
import { annotationExtensions, reviews } from '../../../src/contract/annotation.ts';
import { search } from '../../../src/contract/search.ts';
import { evaluated, squares } from '../judged-squares.ts';
import { blueAt, redAt, sharedLabelling, squaresModel } from '../platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

/** By misses; neither by name nor by age. */
const misses = ['worst.png', 'missed.png', 'wrong.png', 'zero.png'];

const people = { labelerEmail: 'ada@acme.org', reviewerEmail: 'ada@acme.org' };

async function judgedSquares() {
  const fixture = labelling();
  const judged = await squares(fixture, [
    {
      name: 'worst.png',
      image: await blueAt(10),
      objects: [['blue', 0] as const, ['blue', 1] as const],
    },
    { name: 'zero.png', image: await redAt(9), objects: [['blue', 2]] },
  ]);
  const { panel, evaluationId } = await evaluated(fixture, judged, { query: 'split:test' });
  const { client, at, project } = judged;
  const find = async (query: string, more: object = {}) => {
    const asked = { workspace: 'acme', query: `project:${project} ${query}`, ...more };
    return (await client.call(search.workspace_search, asked)).body;
  };
  const found = async (query: string) => {
    const all: unknown[] = [];
    for (let token: string | undefined; ; ) {
      const page = await find(query, { pageSize: 1, ...(token && { continuationToken: token }) });
      all.push(...page.results.map(({ name }) => name));
      token = page.continuationToken ?? undefined;
      if (token === undefined) return all;
    }
  };
  return { client, at, panel, find, found, judged: `evaluation:${evaluationId}` };
}

describe('the worst first', () => {
  it('is the order of searches for what an evaluation found, page by page', async () => {
    const { panel, find, found, judged } = await judgedSquares();
    expect(await found(`${judged}/misses`)).toEqual(misses);
    expect(await found(`(split:test ${judged}/misses)`)).toEqual(misses);
    const some = ['worst.png', 'wrong.png', 'zero.png'];
    expect(await found(`${judged}/misses filename:*o*`)).toEqual(some);
    expect(await found(`${judged}/misses/blue`)).toEqual(['worst.png', 'missed.png', 'zero.png']);
    expect(await found(`${judged}/blue>`)).toEqual(['worst.png', 'missed.png', 'zero.png']);
    const all = ['worst.png', 'wrong.png', 'missed.png', 'zero.png', 'right.png'];
    expect(await found(judged)).toEqual(all);
    const { results = [] } = await panel({ panel: 'images', only: 'misses' });
    expect(results.map(({ image }) => image)).toEqual(misses);
    const mistakes = await panel({ panel: 'label_mistakes' });
    expect(await found(`${judged}/mistakes`)).toEqual(
      mistakes.mislabelled?.map(({ image }) => image),
    );
    expect((await find(`${judged}/misses`)).order).toBe('worst_first');
  });

  it('is not the order where another one is asked for, or others are found too', async () => {
    const { find, found, judged } = await judgedSquares();
    const newest = ['zero.png', 'worst.png', 'missed.png', 'wrong.png'];
    expect(await found(`${judged}/misses sort:created`)).toEqual(newest);
    expect(await found(`(${judged}/misses OR tag:none)`)).toEqual(newest);
    expect((await find(`${judged}/misses sort:created`)).order).toBe('sorted');
    expect((await find('split:test')).order).toBe(undefined);
  });

  it('is that of each condition in turns where OR joins some of one evaluation', async () => {
    const { find, found, judged } = await judgedSquares();
    const [blue, red] = [`${judged}/misses/blue`, `${judged}/misses/red`];
    expect(await found(blue)).toEqual(['worst.png', 'missed.png', 'zero.png']);
    expect(await found(red)).toEqual(['wrong.png']);
    const either = ['worst.png', 'wrong.png', 'missed.png', 'zero.png'];
    expect(await found(`${blue} OR ${red}`)).toEqual(either);
    expect(await found(`split:test (${red} OR (tag:none ${judged}) OR ${blue})`)).toEqual(either);
    const all = [...either, 'right.png'];
    expect(await found(`${judged} OR ${blue}`)).toEqual(all);
    const page = await find(`${blue} OR ${red}`);
    expect(page).toMatchObject({ order: 'worst_first' });
    expect(page).not.toHaveProperty('notes');
  });

  it('is told not to be the order where OR joins what has none in common', async () => {
    const { find, judged } = await judgedSquares();
    const said = async (query: string) => {
      const { order, notes = [] } = await find(query);
      return { order, isTold: String(notes).includes('The newest images come first') };
    };
    const byAge = { order: undefined, isTold: true };
    expect(await said(`(${judged}/misses OR tag:none)`)).toEqual(byAge);
    expect(await said(`(${judged}/misses OR -${judged}/errors)`)).toEqual(byAge);
    const sorted = { order: 'sorted', isTold: false };
    expect(await said(`(${judged}/misses OR tag:none) sort:created`)).toEqual(sorted);
    const byErrors = { order: 'worst_first', isTold: false };
    expect(await said(`(${judged}/misses OR tag:none) ${judged}/errors`)).toEqual(byErrors);
    expect(await said(`-${judged}/misses`)).toEqual({ order: undefined, isTold: false });
  });

  it('is kept by reviews and jobs that are asked to, and by no other', async () => {
    const { client, at, find, judged } = await judgedSquares();
    const images = (await find(`${judged}/misses`)).results.map(({ id }) => String(id));
    const namesIn = async (jobId: string | undefined) => {
      const asked = { ...at, jobId: String(jobId) };
      const { body } = await client.call(annotationExtensions.annotation_jobs_images, asked);
      return body.images.map(({ name }) => name);
    };
    const job = async (how: { ordered?: boolean; independent?: boolean }) => {
      const create = annotationExtensions.annotation_jobs_create_for_images;
      const asked = { ...at, name: 'A job', images, ...people, ...how };
      return namesIn((await client.call(create, asked)).body.id);
    };
    const byName = ['missed.png', 'worst.png', 'wrong.png', 'zero.png'];
    expect(await job({ independent: true })).toEqual(byName);
    expect(await job({ independent: true, ordered: true })).toEqual(misses);
    const asked = { ...at, images: images.slice(0, 3), ordered: true };
    const { body } = await client.call(reviews.annotation_review, asked);
    expect(await namesIn(body.jobId)).toEqual(misses.slice(0, 3));
    const again = { ...at, job: body.jobId, ordered: true };
    await expect(client.call(reviews.annotation_review, again)).rejects.toMatchObject({
      upstream: { message: 'ordered: goes with images: a job keeps its order' },
    });
  });
});

describe('what an evaluation does not know', () => {
  it.each([
    ['JUDGED/misses/nope', 1, 'nope'],
    ['class:red -JUDGED/Red>', 12, 'Red'],
    ['JUDGED/red>green', 1, 'green'],
    ['(JUDGED/swapped/nope>=0.5 OR class:red)', 2, 'nope'],
  ])('is refused, and its classes are named: %s', async (wanted, place, name) => {
    const { at, find, judged } = await judgedSquares();
    const character = `project:${at.project} `.length + place;
    await expect(find(wanted.replace('JUDGED', judged))).rejects.toMatchObject({
      upstream: expect.objectContaining({
        message: `query: at character ${character}: this evaluation has no class "${name}"`,
        hint: expect.stringContaining('Its classes: "blue", "red".'),
      }),
    });
  });

  it('is refused where the evaluation itself is none', async () => {
    const { find } = await judgedSquares();
    await expect(find('evaluation:unknown/misses')).rejects.toMatchObject({
      upstream: expect.objectContaining({
        message: expect.stringContaining('there is no evaluation "unknown"'),
      }),
    });
  });
});
