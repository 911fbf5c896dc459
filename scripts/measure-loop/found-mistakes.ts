// The label mistakes that an evaluation tells, held against the damage that was done.

import * as z from 'zod';
import { type LabelMistakeKind, labelMistakeKinds } from '../../src/contract/evaluations.ts';
import type { LabelMistake } from '../../src/evaluation/label-mistakes.ts';
import { overlapOf } from '../../src/evaluation/match-detections.ts';
import { type Damage, tells } from '../../test/evaluation/damaged-labels.ts';
import type { Agent } from './agent.ts';
import type { DamagedFolder } from './damaged-folder.ts';

export interface ToldMistake extends LabelMistake {
  readonly image: string;
}

const place = z.looseObject({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const told = z.looseObject({
  kind: z.enum(labelMistakeKinds),
  score: z.number(),
  label: z.string().optional(),
  labelBox: place.optional(),
  found: z.string(),
  box: place.optional(),
});

const page = z.looseObject({
  mislabelled: z.array(z.looseObject({ image: z.string(), mistakes: z.array(told) })),
});

type Told = z.output<typeof told>;

/** All of a kind, the surest first; of an image with very many, the ten surest of each class. */
export async function readMistakes(
  agent: Agent,
  evaluation: { readonly project: string; readonly evaluationId: string },
  kind: LabelMistakeKind,
  classes: readonly string[],
): Promise<readonly ToldMistake[]> {
  const all = new Map<string, ToldMistake>();
  for (const ofClass of classes) {
    for (let offset = 0; ; offset += rows) {
      const wanted = { ...evaluation, panel: 'label_mistakes', only: kind, class: ofClass };
      const asked = { ...wanted, limit: rows, offset };
      const { facts } = await agent.call('evaluations_get', asked, false);
      const { mislabelled } = page.parse(facts);
      for (const { image, mistakes } of mislabelled) {
        for (const one of mistakes) {
          // Of two classes it is told twice.
          all.set(JSON.stringify([image, one]), mistakeOf(image, one, classes));
        }
      }
      if (mislabelled.length < rows) break;
    }
  }
  return [...all.values()].toSorted((one, other) => other.score - one.score);
}

const rows = 100;

function mistakeOf(image: string, one: Told, classes: readonly string[]): ToldMistake {
  const { kind, score, label, labelBox, found, box = labelBox } = one;
  if (box === undefined) throw new Error('A mistake has no place.');
  return {
    image,
    kind,
    score,
    label: labelBox && regionOf(classes.indexOf(label ?? ''), labelBox),
    instead: regionOf(classes.indexOf(found), box),
  };
}

function regionOf(classIndex: number, { x, y, width, height }: z.output<typeof place>) {
  return { classIndex, left: x - width / 2, top: y - height / 2, width, height };
}

/** The damage that a mistake tells. */
export function damageBehind(mistake: ToldMistake, { images }: DamagedFolder): Damage | undefined {
  return images.get(mistake.image)?.damages.find((damage) => tells(mistake, damage));
}

/** Whether the mend of a mistake gives the label its class and, nearly, its place again. */
export function isRightMend(mistake: ToldMistake, folder: DamagedFolder): boolean {
  const damage = damageBehind(mistake, folder);
  if (damage === undefined) return false;
  if (mistake.kind === 'duplicate') return true;
  const { truth } = damage;
  return (
    mistake.instead.classIndex === truth.classIndex &&
    (mistake.kind === 'swapped' || overlapOf(mistake.instead, truth) >= 0.5)
  );
}
