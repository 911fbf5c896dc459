// The boxes of one image as COCO JSON, which is the one format that takes outlines and keypoints.

/** @import { Box, Size } from '../boxes.ts' */

/**
 * @param {readonly Box[]} boxes
 * @param {{ name: string } & Size} image
 */
export function cocoFileOf(boxes, { name, width, height }) {
  // Keypoints have their names in the category: other names make another one of the same class.
  const categories = new Map();
  const annotations = boxes.map((box, id) => {
    const { left, top, points = [], keypoints = [] } = box;
    const names = keypoints.map(({ label }) => label);
    const key = JSON.stringify([box.class, names]);
    const known = categories.get(key);
    const category = known ?? { id: categories.size, name: box.class, keypoints: names };
    categories.set(key, category);
    return {
      id,
      image_id: 0,
      category_id: category.id,
      bbox: [left, top, box.width, box.height],
      segmentation: points.length > 0 ? [points.flat()] : [],
      keypoints: keypoints.flatMap(({ x, y, visibility }) => [x, y, visibility]),
    };
  });
  const images = [{ id: 0, file_name: name, width, height }];
  return JSON.stringify({ images, categories: [...categories.values()], annotations });
}
