// Requests that are dear because of what the attacker's own project has: images, classes.

import { testImage } from '../../test/fixtures/images.ts';
import type { Attack, Target } from './attack.ts';
import { freshScene } from './attacked-projects.ts';
import { repeated } from './dense-bodies.ts';
import { form, json } from './raw-request.ts';

/** Gives the project, with one more image for each number. */
async function withImages(target: Target, count: number): Promise<string> {
  const { project } = await freshScene(target);
  for (let image = 0; image < count; image += 1) {
    const content = await testImage(20_000 + image);
    const parts = [{ name: 'file', fileName: 'a.png', type: 'image/png', content }];
    await target.ask(form(`/dataset/${project}/upload?name=${image}.png`, parts));
  }
  return project;
}

/** 200 classes on each of 20 images. */
async function withClasses(target: Target): Promise<string> {
  const { project } = await freshScene(target);
  for (let image = 0; image < 20; image += 1) {
    const content = await testImage(30_000 + image);
    const parts = [{ name: 'file', fileName: 'a.png', type: 'image/png', content }];
    const made = await target.ask(form(`/dataset/${project}/upload?name=${image}.png`, parts));
    const label = (at: number) => ({ label: longName(image * 200 + at), coordinates });
    const annotationFile = JSON.stringify([
      { image: `${image}.png`, annotations: repeated(200, label) },
    ]);
    const id = String(Object(made).id);
    await target.ask(json(`/dataset/${project}/annotate/${id}?name=a.json`, { annotationFile }));
  }
  return project;
}

const coordinates = { x: 5, y: 5, width: 4, height: 4 };

/** Sixty letters, as long as names are that others are compared with. */
function longName(number: number): string {
  return `class ${String(number).padStart(54, 'a')}`;
}

export const largeProjectAttacks: readonly Attack[] = [
  {
    name: 'project: 1,000 unknown classes beside 4,000',
    target: 'platform',
    prepare: async (target) => {
      const project = await withClasses(target);
      const classes = repeated(1_000, (at) => longName(9_000 + at));
      const splits = { train: 70, valid: 20, test: 10 };
      const request = json(`/local/${project}/splits/rebalance`, { splits, classes });
      return () => target.send(request);
    },
  },
  {
    name: 'project: 40 versions at once of 400 images',
    target: 'platform',
    restarts: true,
    prepare: async (target) => {
      const project = await withImages(target, 400);
      const request = json(`/local/${project}/generate`, { preprocessing: {}, augmentation: {} });
      target.worksOn();
      return () => Promise.all(repeated(40, () => target.send(request)));
    },
  },
];
