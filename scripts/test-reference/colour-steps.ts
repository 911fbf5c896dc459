// Steps that change colours, beside those of OpenCV, Pillow and numpy.

import { contrasts } from '../../src/dataset-versions/contrast.ts';
import { createKernel } from '../../src/dataset-versions/kernel/kernel.ts';
import {
  chooseBlur,
  chooseBrightness,
  chooseCutout,
  chooseExposure,
  chooseHue,
  chooseSaturation,
  toGrayscale,
} from '../../src/dataset-versions/pixel-augmentations.ts';
import type { Size } from '../../src/dataset-versions/transform-boxes.ts';
import { decodeImage } from '../../src/imaging/image-file.ts';
import { applying, drawing, painting } from './our-steps.ts';
import type { Step } from './step.ts';

export const colourSteps: readonly Step[] = [
  {
    name: 'grayscale',
    reference: 'Pillow convert with the same weights (Rec. 709)',
    tolerance: 1,
    shareMax: 0,
    cases: () => [{ step: 'grayscale', parameters: {}, ours: painting(toGrayscale) }],
  },
  {
    name: 'saturation',
    reference: 'Pillow ImageEnhance.Color (luma of Rec. 601)',
    tolerance: 1,
    shareMax: 0,
    cases: () =>
      [25, -60, 100, -100].map((percent) => ({
        step: 'saturation',
        parameters: { percent },
        ours: applying(chooseSaturation({ percent }, drawing(1))),
      })),
  },
  {
    name: 'hue',
    reference: 'OpenCV HSV in 32-bit floats',
    tolerance: 1,
    shareMax: 0,
    cases: () =>
      [25, -90, 180].map((degrees) => ({
        step: 'hue',
        parameters: { degrees },
        ours: applying(chooseHue({ degrees }, drawing(1))),
      })),
  },
  {
    name: 'brightness',
    reference: 'OpenCV add',
    tolerance: 0,
    shareMax: 0,
    cases: () =>
      [20, -33].map((percent) => {
        const setting = { percent: Math.abs(percent), brighten: percent > 0, darken: percent < 0 };
        const ours = applying(chooseBrightness(setting, drawing(1)));
        return { step: 'brightness', parameters: { percent }, ours };
      }),
  },
  {
    name: 'exposure',
    reference: 'numpy power, OpenCV LUT',
    tolerance: 0,
    shareMax: 0,
    cases: () =>
      [15, -40, 99].map((percent) => ({
        step: 'exposure',
        parameters: { percent },
        ours: applying(chooseExposure({ percent }, drawing(1))),
      })),
  },
  {
    name: 'blur',
    reference: 'OpenCV GaussianBlur',
    tolerance: 1,
    shareMax: 0,
    cases: () =>
      [0.4, 1, 2.5, 7, 25].map((sigma) => ({
        step: 'blur',
        parameters: { sigma },
        ours: applying(chooseBlur({ pixels: sigma }, drawing(1))),
      })),
  },
  {
    name: 'cutout',
    reference: 'numpy, a part filled with 0',
    tolerance: 0,
    shareMax: 0,
    cases: (size) =>
      [10, 60].map((percent) => {
        const choice = chooseCutout({ count: 1, percent }, drawing(0.1, percent / 100));
        const box = blackPart(applying(choice), size);
        return { step: 'cutout', parameters: { box }, ours: applying(choice) };
      }),
  },
  {
    name: 'Contrast Stretching',
    reference: 'numpy percentile',
    tolerance: 0,
    shareMax: 0,
    cases: () => [
      { step: 'stretching', parameters: {}, ours: painting(contrasts['Contrast Stretching']) },
    ],
  },
  {
    name: 'Histogram Equalization',
    reference: 'OpenCV equalizeHist on the luma of YCrCb',
    tolerance: 1,
    shareMax: 0,
    cases: () => [
      { step: 'equalization', parameters: {}, ours: painting(contrasts['Histogram Equalization']) },
    ],
  },
  {
    name: 'Adaptive Equalization',
    reference: 'OpenCV CLAHE 7.68, 8 x 8, on the luma of YCrCb',
    tolerance: 2,
    shareMax: 0,
    cases: () => [
      { step: 'adaptive', parameters: {}, ours: painting(contrasts['Adaptive Equalization']) },
    ],
  },
  {
    // The coarsest step of quality 95: a coefficient between two steps may fall to either side.
    name: 'JPEG of quality 95, 4:4:4',
    reference: 'Pillow save',
    tolerance: 12,
    shareMax: 0,
    cases: () => [
      {
        step: 'jpeg',
        parameters: { quality: 95 },
        ours: ({ kernel, image }) => decodeImage(kernel.encodeJpeg(kernel.load(image), 95)),
      },
    ],
  },
];

/** Where a change makes a white picture black: its place is drawn, so it has to be looked for. */
function blackPart(change: ReturnType<typeof applying>, size: Size): readonly number[] {
  const { width, height } = size;
  const white = { width, height, data: new Uint8Array(width * height * 3).fill(255) };
  const { data } = change({ kernel: createKernel(), image: white });
  const dark = Array.from({ length: width * height }, (_, at) => at).filter((at) => !data[at * 3]);
  const columns = dark.map((at) => at % width);
  const rows = dark.map((at) => Math.floor(at / width));
  const edges = (places: readonly number[]) => [Math.min(...places), Math.max(...places) + 1];
  const [left = 0, right = 0] = edges(columns);
  const [top = 0, bottom = 0] = edges(rows);
  return [left, top, right, bottom];
}
