// The annotation of an image is taken away: it is as before anybody annotated it.

import { expect, it } from 'vitest';
import { redAt, sharedLabelling } from '../platform-with-model.ts';

const labelling = sharedLabelling();

it('leaves an image that nobody has annotated, for searches and for jobs', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const id = await fixture.upload(project, await redAt(1));
  const other = await fixture.upload(project, await redAt(2));
  const job = await fixture.tell('POST', `/acme/${project}/reviews`, { images: [id, other] });
  const { annotation_revision: revision } = (await fixture.annotate(project, id)).body;
  const path = `/acme/${project}/images/${id}/annotation?revision=`;
  const late = await fixture.tell('DELETE', `${path}none`);
  expect(late.status).toBe(409);
  expect(await fixture.image(project, id)).toMatchObject({ annotated: true, labels: ['red'] });
  expect((await fixture.tell('DELETE', `${path}${revision}`)).body).toEqual({ success: true });
  const image = await fixture.image(project, id);
  expect(image).toMatchObject({ annotated: false, labels: [], annotation_revision: 'none' });
  expect(image).not.toHaveProperty('prediction');
  const body = { query: `project:${project} annotated:false` };
  const found = await fixture.tell('POST', '/acme/search/v1', body);
  expect(found.body).toMatchObject({ total: 2 });
  const { jobId } = job.body;
  expect((await fixture.tell('GET', `/acme/${project}/jobs/${jobId}`)).body).toMatchObject({
    status: 'assigned',
    unannotated: 2,
  });
  const unknown = await fixture.tell(
    'DELETE',
    `/acme/${project}/images/none/annotation?revision=x`,
  );
  expect(unknown.status).toBe(404);
  // It is annotated again like any other.
  expect((await fixture.annotate(project, id, '&revision=none')).status).toBe(200);
});
