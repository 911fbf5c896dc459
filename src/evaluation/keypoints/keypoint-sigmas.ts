// By which sigmas keypoints are judged: those of COCO for the keypoints of COCO's person, else one
// for all.

import { areNumbers } from './keypoint-order.ts';

export interface Sigmas {
  readonly values: readonly number[];
  readonly areOfCoco: boolean;
}

/** `names`: the keypoints of a class, in their order. */
export function sigmasOf(names: readonly string[]): Sigmas {
  const plain = names.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  const isNumbered = areNumbers(names);
  const known = plain.map((name, place) => (isNumbered ? inOrder[place] : ofCoco.get(name)));
  const values = known.filter((sigma) => sigma !== undefined);
  const areOfCoco = values.length === names.length && new Set(plain).size === ofCoco.size;
  return areOfCoco ? { values, areOfCoco } : { values: names.map(() => uniformSigma), areOfCoco };
}

/** In words: of all classes that have keypoints. */
export function sigmaWords(classes: readonly SigmasOfClass[]): string {
  const [coco, others] = [true, false].map((areOfCoco) =>
    classes.filter((one) => one.areOfCoco === areOfCoco),
  );
  const one = `sigma ${uniformSigma} for each keypoint`;
  if (coco === undefined || coco.length === 0) return one;
  if (others === undefined || others.length === 0) return 'the sigmas of COCO';
  return `the sigmas of COCO for ${coco.map(({ name }) => name).join(', ')}, else ${one}`;
}

interface SigmasOfClass extends Pick<Sigmas, 'areOfCoco'> {
  readonly name: string;
}

/** Between those of a person's face and body. */
const uniformSigma = 0.05;

const ofCoco: ReadonlyMap<string, number> = new Map([
  ['nose', 0.026],
  ['left_eye', 0.025],
  ['right_eye', 0.025],
  ['left_ear', 0.035],
  ['right_ear', 0.035],
  ['left_shoulder', 0.079],
  ['right_shoulder', 0.079],
  ['left_elbow', 0.072],
  ['right_elbow', 0.072],
  ['left_wrist', 0.062],
  ['right_wrist', 0.062],
  ['left_hip', 0.107],
  ['right_hip', 0.107],
  ['left_knee', 0.087],
  ['right_knee', 0.087],
  ['left_ankle', 0.089],
  ['right_ankle', 0.089],
]);

const inOrder = [...ofCoco.values()];
