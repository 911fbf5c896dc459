// The messages between an upload and the thread that reads its annotation files.

import type { DataYaml } from '../../src/annotation-formats/data-yaml.ts';

export type Labelmap = Readonly<Record<string, string>>;

export type ToFileReader =
  /** Indexes COCO or CreateML JSON. `stems` are file names in small letters. */
  | { readonly kind: 'open'; readonly path: string; readonly stems: readonly string[] }
  /** The annotation of one image in an opened file, of an image that is called `imageName`. */
  | {
      readonly kind: 'part';
      readonly path: string;
      readonly name: string;
      readonly imageName: string;
    }
  | { readonly kind: 'data yaml'; readonly text: string }
  /** `images`: paths of all images; undefined: those of the last list. */
  | {
      readonly kind: 'image list';
      readonly path: string;
      readonly text: string;
      readonly images: readonly string[] | undefined;
    };

export type FromFileReader =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'opened';
      /** What the file calls images of these; undefined: it is neither COCO nor CreateML. */
      readonly names: readonly string[] | undefined;
      /** Images of the file with other names. */
      readonly others: number;
      /** Annotations about images that it does not list. */
      readonly strays: number;
    }
  | { readonly kind: 'part'; readonly text: string }
  | { readonly kind: 'data yaml'; readonly read: DataYaml }
  | { readonly kind: 'image list'; readonly images: readonly string[] }
  | { readonly kind: 'problem'; readonly problem: string };
