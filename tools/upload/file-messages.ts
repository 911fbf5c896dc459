// What is said between an upload and the thread that reads its annotation files.

export type Labelmap = Readonly<Record<string, string>>;

export type ToFileReader =
  /** Reads through COCO or CreateML JSON, and keeps where it says what. `names` are file names. */
  | { readonly kind: 'open'; readonly path: string; readonly names: readonly string[] }
  /** What an opened file says of the image of that file name. */
  | { readonly kind: 'part'; readonly path: string; readonly name: string }
  /** The classes of a YAML file. */
  | { readonly kind: 'class names'; readonly text: string };

export type FromFileReader =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'opened';
      /** Those of the names that the file has; undefined: it is neither COCO nor CreateML. */
      readonly names: readonly string[] | undefined;
      /** Images of it that have none of the names. */
      readonly others: number;
    }
  | { readonly kind: 'part'; readonly text: string }
  | { readonly kind: 'class names'; readonly labelmap: Labelmap }
  | { readonly kind: 'problem'; readonly problem: string };
