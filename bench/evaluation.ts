// `npm run bench:evaluation`: how long the COCO protocol takes for 5,000 images with 100,000
// detections of 80 classes, on one core: all average precisions, the sweeps and the confusion
// matrix. Ends with 1 where it takes longer than 5 s.

import { confusionMatrix } from '../src/evaluation/confusion-matrix.ts';
import { evaluateDetections } from '../src/evaluation/evaluate-detections.ts';
import type { EvaluatedImage } from '../src/evaluation/evaluated-image.ts';
import type { Region } from '../src/evaluation/image-region.ts';
import { below, between, type Random, randomFrom } from '../src/seeded-random.ts';

const imageCount = 5_000;
const objectsOfImage = 7;
const detectionsOfImage = 20;
const classCount = 80;
const secondsMax = 5;

const images = makeImages();
for (let run = 1; run <= 5; run++) {
  const before = process.cpuUsage();
  const { figures } = evaluateDetections(images, classCount);
  confusionMatrix(images, classCount, 0.5);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  process.stdout.write(
    `${seconds.toFixed(2)} s of processor time for ${imageCount} images with ${
      imageCount * detectionsOfImage
    } detections (AP ${figures.ap?.toFixed(3)})\n`,
  );
  if (seconds > secondsMax) process.exitCode = 1;
}

/** Half of the detections are near an object, a tenth of these of another class. */
function makeImages(): readonly EvaluatedImage[] {
  const random = randomFrom('bench');
  return Array.from({ length: imageCount }, () => {
    const groundTruths = Array.from({ length: objectsOfImage }, () => ({
      ...anyRegion(random),
      classIndex: below(random, classCount),
    }));
    const detections = Array.from({ length: detectionsOfImage }, (_, place) => {
      const object = place % 2 === 0 ? groundTruths[below(random, objectsOfImage)] : undefined;
      const classIndex =
        object !== undefined && random() < 0.9 ? object.classIndex : below(random, classCount);
      const region = object === undefined ? anyRegion(random) : near(object, random);
      return { ...region, classIndex, score: object ? between(random, 0.2, 1) : random() * 0.7 };
    });
    return { groundTruths, detections };
  });
}

function anyRegion(random: Random): Region {
  const size = () => between(random, 8, 240);
  return { left: random() * 400, top: random() * 400, width: size(), height: size() };
}

function near({ left, top, width, height }: Region, random: Random): Region {
  return {
    left: left + width * between(random, -0.15, 0.15),
    top: top + height * between(random, -0.15, 0.15),
    width: width * between(random, 0.8, 1.2),
    height: height * between(random, 0.8, 1.2),
  };
}
