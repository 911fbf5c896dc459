// The table of augmentations, in the order in which they are applied. docs/dataset-versions.md is
// generated from it.

import {
  type AugmentationSettings,
  type AugmentationStep,
  augmentation,
} from './augmentation-choice.ts';
import { insideBoxes } from './bounding-box-augmentations.ts';
import {
  chooseCrop,
  chooseFlip,
  chooseNinety,
  chooseRotate,
  chooseShear,
} from './geometric-augmentations.ts';
import { chooseMosaic } from './mosaic.ts';
import {
  chooseBlur,
  chooseBrightness,
  chooseCutout,
  chooseExposure,
  chooseGrayscale,
  chooseHue,
  chooseNoise,
  chooseSaturation,
} from './pixel-augmentations.ts';

/** `image` is no step: it says how many copies there are. */
type StepKey = Exclude<keyof AugmentationSettings, 'image'>;

const within = (key: string) => `As ${key}, within each box, with a strength of its own.`;

const steps: Readonly<Record<StepKey, AugmentationStep>> = {
  mosaic: augmentation(
    'mosaic',
    'Joins the image and three others around a random point of its middle half. Each is cut at ' +
      'its own scale, or stretched whole into its quarter, one as often as the other.',
    chooseMosaic,
  ),
  bbflip: augmentation('bbflip', within('flip'), insideBoxes('flip', chooseFlip)),
  bbninety: augmentation(
    'bbninety',
    `${within('ninety')} A quarter turn is stretched back into a box that is not square.`,
    insideBoxes('turn', chooseNinety),
  ),
  bbcrop: augmentation('bbcrop', within('crop'), insideBoxes('crop', chooseCrop)),
  bbrotate: augmentation('bbrotate', within('rotate'), insideBoxes('rotate', chooseRotate)),
  bbshear: augmentation('bbshear', within('shear'), insideBoxes('shear', chooseShear)),
  bbbrightness: augmentation(
    'bbbrightness',
    within('brightness'),
    insideBoxes('brightness', chooseBrightness),
  ),
  bbexposure: augmentation(
    'bbexposure',
    within('exposure'),
    insideBoxes('exposure', chooseExposure),
  ),
  bbblur: augmentation('bbblur', within('blur'), insideBoxes('blur', chooseBlur)),
  bbnoise: augmentation('bbnoise', within('noise'), insideBoxes('noise', chooseNoise)),
  flip: augmentation(
    'flip',
    'Mirrors left to right (horizontal) or upside down (vertical), each with even chance.',
    chooseFlip,
  ),
  ninety: augmentation(
    'ninety',
    'Turns by 90 degrees clockwise or counter-clockwise, or by 180 (upside-down): one of those ' +
      'chosen, or none, all with even chance. A quarter turn swaps width and height.',
    chooseNinety,
  ),
  crop: augmentation(
    'crop',
    'Zooms in: min to max percent of the area are cut away around a window of the same shape at a ' +
      'random place, which is enlarged to the size of the image.',
    chooseCrop,
  ),
  rotate: augmentation(
    'rotate',
    'Turns around the middle by up to so many degrees either way; the size stays, black fills in.',
    chooseRotate,
  ),
  shear: augmentation(
    'shear',
    'Slants by up to so many degrees either way, first along the width, then along the height, ' +
      'around the middle; the size stays, black fills in.',
    chooseShear,
  ),
  hue: augmentation('hue', 'Turns the hue (HSV) by up to so many degrees either way.', chooseHue),
  saturation: augmentation(
    'saturation',
    'Moves each pixel away from its grey (Rec. 601) or towards it, by up to so many percent.',
    chooseSaturation,
  ),
  brightness: augmentation(
    'brightness',
    'Adds up to so many percent of white to every value (brighten) or takes it away (darken).',
    chooseBrightness,
  ),
  exposure: augmentation(
    'exposure',
    'A gamma curve, up to so many percent either way: 100 is white, -100 nearly black.',
    chooseExposure,
  ),
  rgrayscale: augmentation(
    'rgrayscale',
    'So many percent of the copies become grey (Rec. 709).',
    chooseGrayscale,
  ),
  blur: augmentation(
    'blur',
    'Gaussian blur with a standard deviation of up to so many pixels.',
    chooseBlur,
  ),
  noise: augmentation(
    'noise',
    'Salt and pepper: up to so many percent of the pixels become black or white.',
    chooseNoise,
  ),
  cutout: augmentation(
    'cutout',
    'count black rectangles around random points, each percent of the width and of the height. ' +
      'Boxes stay as they are.',
    chooseCutout,
  ),
};

/** In the order in which a copy takes them: joined, within boxes, moved, coloured, covered. */
export const augmentationSteps: readonly AugmentationStep[] = Object.values(steps);
