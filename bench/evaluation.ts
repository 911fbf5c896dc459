// `npm run bench:evaluation`: how long the COCO protocol takes for 5,000 images with 100,000
// detections of 80 classes, on one core: all average precisions, the sweeps and the confusion
// matrix; and the memory that is left after each run. Ends with 1 where it takes longer than 5 s,
// or keeps more with each run.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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
const runs = 5;
/** Of memory that later runs may keep more than the first: compiled code. */
const megabytesMoreMax = 10;

const images = makeImages();
const collectGarbage = collector();
collectGarbage();
const megabytesBefore = heapMegabytes();
let megabytesAfterFirst = 0;
for (let run = 1; run <= runs; run++) {
  const before = process.cpuUsage();
  const { figures } = evaluateDetections(images, classCount);
  confusionMatrix(images, classCount, 0.5);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const peak = process.resourceUsage().maxRSS / 1024;
  collectGarbage();
  const megabytes = heapMegabytes();
  if (run === 1) megabytesAfterFirst = megabytes;
  const kept = (megabytes - megabytesBefore).toFixed(1);
  process.stdout.write(
    `${seconds.toFixed(2)} s of processor time for ${imageCount} images with ${
      imageCount * detectionsOfImage
    } detections (AP ${figures.ap?.toFixed(3)}); ${kept} MB kept, ${peak.toFixed(0)} MB at most\n`,
  );
  if (seconds > secondsMax) process.exitCode = 1;
  if (megabytes > megabytesAfterFirst + megabytesMoreMax) process.exitCode = 1;
}

/** What is left of earlier work is not what is kept. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node collects no garbage when asked');
  return () => void collect();
}

function heapMegabytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1024 ** 2;
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
