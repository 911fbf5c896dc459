// What the task of a review tells once it is done: what became of the labels up to each decision,
// who changed them, and who decided. Nothing that comes later changes what it says.

import { expect, it } from 'vitest';
import { type Labelling, redAt, sharedLabelling } from '../platform-with-model.ts';

const labelling = sharedLabelling();

type Corners = readonly [label: string, left: number, top: number, right: number, bottom: number];

const red: Corners = ['red', 10, 10, 30, 30];

/** A review of images that have these boxes, and keys of Ann and Bob. */
async function withReview(fixture: Labelling, ...labels: readonly (readonly Corners[])[]) {
  const project = await fixture.newProject();
  const keyOf = async (name: string) =>
    String((await fixture.tell('POST', '/acme/api-keys', { name })).body.key);
  const keys = { ann: await keyOf('Ann'), bob: await keyOf('Bob') };
  const draw = async (id: string, boxes: readonly Corners[], key?: string) => {
    const objects = boxes.map(
      ([name, left, top, right, bottom]) =>
        `<object><name>${name}</name><bndbox><xmin>${left}</xmin><ymin>${top}</ymin><xmax>${right}</xmax><ymax>${bottom}</ymax></bndbox></object>`,
    );
    const annotationFile = `<annotation>${objects.join('')}</annotation>`;
    const path = `/dataset/${project}/annotate/${id}?name=a.xml&overwrite=true`;
    expect((await fixture.tell('POST', path, { annotationFile }, key)).status).toBe(200);
  };
  const images: string[] = [];
  for (const [place, boxes] of labels.entries()) {
    images.push(await fixture.send(project, await redAt(place), { name: `${place + 1}.png` }));
    await draw(images[place] ?? '', boxes);
  }
  const made = await fixture.tell('POST', `/acme/${project}/reviews`, { images });
  const job = String(made.body.jobId);
  const decide = async (id: string, decision: string, more: object = {}, key = keys.bob) => {
    const path = `/acme/${project}/jobs/${job}/images/${id}`;
    const told = await fixture.tell('POST', path, { decision, decisions: 0, ...more }, key);
    expect(told.status).toBe(200);
  };
  const task = async () => (await fixture.tell('GET', `/acme/asynctasks/${job}`)).body;
  return { project, images, job, keys, draw, decide, task };
}

it('warns who replaces what somebody else changed before anybody decided', async () => {
  const fixture = labelling();
  const { project, images, job, keys, draw, decide } = await withReview(fixture, [red]);
  const [one = ''] = images;
  await draw(one, [red, ['blue', 40, 40, 60, 60]], keys.ann);
  const replace = async (key?: string, more = '') => {
    const path = `/dataset/${project}/annotate/${one}?name=a.xml&overwrite=true${more}`;
    const { body } = await fixture.tell('POST', path, { annotationFile: '<annotation/>' }, key);
    return body;
  };
  const message =
    `"Ann" had changed the labels of this image in the annotation job "${job}", where nobody ` +
    'has decided about it yet: their labels are replaced.';
  expect(await replace(keys.ann)).toMatchObject({ warnings: [] });
  const { warnings, annotation_revision: revision } = await replace();
  expect(warnings).toEqual([{ message }]);
  // Whoever names the revision has seen them.
  expect(await replace(keys.bob, `&revision=${revision}`)).toMatchObject({ warnings: [] });
  await decide(one, 'approve');
  expect(await replace()).toMatchObject({ warnings: [] });
});

it('tells what became of boxes, by whom, and who decided', async () => {
  const fixture = labelling();
  const platelet: Corners = ['platelet', 40, 40, 50, 50];
  const start = [[red, platelet], [red], [red], [red]];
  const { images, job, keys, draw, decide, task } = await withReview(fixture, ...start);
  const [one = '', two = '', three = '', four = ''] = images;
  await draw(one, [['blue', 12, 10, 32, 30], ['green', 40, 40, 50, 50], red], keys.bob);
  await draw(two, [['red', 12, 10, 32, 30]], keys.ann);
  await draw(three, [], keys.ann);
  await draw(three, [['blue', 40, 40, 60, 60]], keys.bob);
  await decide(one, 'approve');
  await decide(two, 'approve');
  await decide(three, 'send_back', { comment: 'Too dark.' });
  expect(await task()).toMatchObject({ status: 'running', progress: { current: 3, total: 4 } });
  await decide(four, 'approve');
  expect(await task()).toEqual({
    taskId: job,
    status: 'completed',
    progress: { current: 4, total: 4 },
    result: {
      jobId: job,
      approved: 3,
      sentBack: 1,
      // The fourth image too, which nobody changed.
      deciders: [{ by: 'Bob', approved: 3, sentBack: 1 }],
      sentBackImages: [{ image: three, name: '3.png', comment: 'Too dark.', by: 'Bob' }],
      changedImages: 3,
      changes: [
        {
          by: ['Bob'],
          decidedBy: 'Bob',
          images: 1,
          classes: { platelet: { renamed: { green: 1 } }, blue: { added: 1 } },
        },
        { by: ['Ann'], decidedBy: 'Bob', images: 1, classes: { red: { moved: 1 } } },
        {
          by: ['Ann', 'Bob'],
          decidedBy: 'Bob',
          images: 1,
          classes: { red: { removed: 1 }, blue: { added: 1 } },
        },
      ],
      changed: [
        {
          image: one,
          name: '1.png',
          by: ['Bob'],
          decidedBy: 'Bob',
          classes: { platelet: { renamed: { green: 1 } }, blue: { added: 1 } },
        },
        {
          image: two,
          name: '2.png',
          by: ['Ann'],
          decidedBy: 'Bob',
          classes: { red: { moved: 1 } },
        },
        {
          image: three,
          name: '3.png',
          by: ['Ann', 'Bob'],
          decidedBy: 'Bob',
          classes: { red: { removed: 1 }, blue: { added: 1 } },
        },
      ],
    },
  });
});

it('stays as it was decided, whatever comes later, until somebody decides again', async () => {
  const fixture = labelling();
  const review = await withReview(fixture, [red], [red]);
  const { images, keys, draw, decide, task } = review;
  const [one = '', two = ''] = images;
  await draw(one, [['blue', 12, 10, 32, 30]], keys.bob);
  await decide(one, 'approve');
  await decide(two, 'send_back', { comment: 'One is missing.' });
  const renamed = [
    {
      by: ['Bob'],
      decidedBy: 'Bob',
      images: 1,
      classes: { red: { moved: 1, renamed: { blue: 1 } } },
    },
  ];
  expect((await task()).result).toMatchObject({ changedImages: 1, changes: renamed });
  await draw(one, [red], keys.ann);
  await draw(two, [red, ['red', 40, 40, 60, 60]], keys.ann);
  expect((await task()).result).toMatchObject({ changedImages: 1, changes: renamed });
  await decide(two, 'approve', { decisions: 1 });
  expect((await task()).result).toMatchObject({
    approved: 2,
    changedImages: 2,
    changes: [
      renamed[0],
      { by: ['Ann'], decidedBy: 'Bob', images: 1, classes: { red: { added: 1 } } },
    ],
  });
});

it('counts what was changed back as unchanged', async () => {
  const fixture = labelling();
  const { images, keys, draw, decide, task } = await withReview(fixture, [red]);
  const [one = ''] = images;
  await draw(one, [['blue', 12, 10, 32, 30]], keys.ann);
  await draw(one, [red], keys.bob);
  await decide(one, 'approve');
  const { result } = await task();
  expect(result).toMatchObject({ changedImages: 0, changes: [] });
  expect(result).not.toHaveProperty('changed');
});

it('a prediction that goes with its rejection was removed by who rejected it', async () => {
  const fixture = labelling();
  const { project, images, job, keys, task } = await withReview(fixture, [red], [red]);
  const [one = '', two = ''] = images;
  await fixture.annotate(project, one, '&prediction=true&overwrite=true', 'blue');
  const body = { approve: [two], reject: [one] };
  const path = `/acme/${project}/jobs/${job}`;
  expect((await fixture.tell('PATCH', path, body, keys.bob)).status).toBe(200);
  expect((await task()).result).toMatchObject({
    changedImages: 1,
    changes: [
      {
        by: ['Bob', "the platform's own key"],
        decidedBy: 'Bob',
        classes: { red: { removed: 1 } },
      },
    ],
  });
});

it('tells the same of an image that came back from the trash', async () => {
  const fixture = labelling();
  const { project, images, keys, draw, decide, task } = await withReview(fixture, [red], [red]);
  const [one = '', two = ''] = images;
  await draw(one, [['blue', 10, 10, 30, 30]], keys.bob);
  await decide(one, 'approve');
  await decide(two, 'approve');
  const before = await task();
  expect(before.result).toMatchObject({ changedImages: 1 });
  const gone = await fixture.tell('DELETE', `/acme/${project}/images`, { images: [one] });
  expect(gone.status).toBe(204);
  expect((await task()).result).toMatchObject({ approved: 1, changedImages: 0 });
  const { body } = await fixture.tell('GET', '/acme/trash');
  const { id } = Object(Object(body.sections).images)[0] ?? {};
  await fixture.tell('POST', '/acme/trash/restore', { type: 'image', id });
  expect(await task()).toEqual(before);
});

it('says of how many images it does not know what was changed', async () => {
  const fixture = labelling();
  const many = Array.from({ length: 600 }, (_, n): Corners => {
    const [left, top] = [(n % 30) * 2, Math.floor(n / 30) * 2];
    return ['red', left, top, left + 2, top + 2];
  });
  const { images, keys, draw, decide, task } = await withReview(fixture, many, [red]);
  const [one = '', two = ''] = images;
  await draw(one, many.slice(1), keys.bob);
  await draw(two, [], keys.bob);
  await decide(one, 'approve');
  await decide(two, 'approve');
  expect((await task()).result).toMatchObject({ changedImages: 1, notCompared: 1 });
});

it('a job for which nobody asked a review says nothing of labels from before', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const id = await fixture.upload(project, await redAt(0));
  const people = { labelerEmail: 'bob@example.com', reviewerEmail: 'rev@example.com' };
  const made = await fixture.tell('POST', `/acme/${project}/jobs/images`, {
    name: 'By hand',
    images: [id],
    ...people,
  });
  const job = String(made.body.id);
  await fixture.annotate(project, id);
  await fixture.tell('POST', `/acme/${project}/jobs/${job}/images/${id}`, {
    decision: 'approve',
    decisions: 0,
  });
  expect((await fixture.tell('GET', `/acme/asynctasks/${job}`)).body.result).toEqual({
    jobId: job,
    approved: 1,
    sentBack: 0,
    deciders: [{ by: "the platform's own key", approved: 1, sentBack: 0 }],
    sentBackImages: [],
  });
});
