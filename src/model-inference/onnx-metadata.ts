// What an ONNX file says of itself beside its graph: the runtime does not show it.

import { invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { areNames, type ClassNames, readClassNames } from './model-class-names.ts';
import { ProtobufError, type ProtobufField, readFields, textOf } from './protobuf.ts';
import { type OwnThresholds, readThresholds } from './thresholds.ts';

export interface OnnxMetadata {
  /** `names` of Ultralytics and others, in the order of the class numbers; undefined: none. */
  readonly classes: ClassNames | undefined;
  /** Whether overlapping boxes were dropped inside the model already. */
  readonly isEndToEnd: boolean;
  /** `task` of Ultralytics, such as `pose`. */
  readonly task: string | undefined;
  /** `kpt_shape`: how many keypoints an object has, and numbers each of them. */
  readonly keypoints: readonly [count: number, numbers: number] | undefined;
  /** `kpt_names`, by the number of the class; those of the first class are of all without. */
  readonly keypointNames: readonly (readonly string[])[];
  readonly thresholds: OwnThresholds;
}

/**
 * Reads the metadata of a model, from the fields of onnx.proto. Throws `invalid_input` for a file
 * that is no ONNX model, and for one whose weights lie in other files: which these are, the file
 * alone would say.
 */
export function readOnnxMetadata(file: Uint8Array): OnnxMetadata {
  try {
    return readModel(file);
  } catch (thrown) {
    if (!(thrown instanceof ProtobufError)) throw thrown;
    throw invalidArgument(
      'model',
      'is not an ONNX file, or only a part of one',
      'Export the model anew, in the ONNX format.',
    );
  }
}

function readModel(file: Uint8Array): OnnxMetadata {
  const properties = new Map<string, string>();
  let hasGraph = false;
  for (const field of readFields(file)) {
    if (field.number === modelFields.graph && field.bytes) {
      hasGraph = true;
      refuseOtherFiles(field.bytes, 0);
    }
    if (field.number === modelFields.metadata && field.bytes) {
      const { key, value } = readProperty(field.bytes);
      properties.set(key, value);
    }
  }
  if (!hasGraph) throw new ProtobufError('no graph');
  const names = properties.get('names');
  return {
    classes: names === undefined ? undefined : readClassNames(names),
    isEndToEnd: isTrue(properties.get('end2end')) || isTrue(properties.get('nms')),
    task: properties.get('task'),
    keypoints: readKeypointShape(properties.get('kpt_shape')?.trim() ?? ''),
    keypointNames: readKeypointNames(properties.get('kpt_names') ?? ''),
    thresholds: readThresholds(properties),
  };
}

/** `[17, 3]`. Undefined: it has none. Throws where it has one that cannot be. */
function readKeypointShape(text: string): OnnxMetadata['keypoints'] {
  if (text === '' || text === 'None') return undefined;
  const [, count, numbers] = /^[[(]\s*(\d{1,3})\s*,\s*([23])\s*[\])]$/.exec(text) ?? [];
  if (Number(count) > 0) return [Number(count), Number(numbers)];
  throw invalidArgument(
    'model',
    'has a `kpt_shape` in its metadata that is no number of keypoints with 2 or 3 numbers each',
    `Export it with one such as [17, 3]; at most ${limits.modelKeypointsMax} keypoints are taken.`,
  );
}

/** `{0: ['nose', 'tail']}`; empty where they cannot be read: then numbers name them. */
function readKeypointNames(text: string): readonly (readonly string[])[] {
  const lists = text.slice(0, limits.keypointNamesCharactersMax).match(/\[[^[\]]*\]/g) ?? [];
  return lists.map((list) => {
    const names = readClassNames(list);
    return areNames(names) ? names : [];
  });
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

function readProperty(message: Uint8Array): { readonly key: string; readonly value: string } {
  const fields = [...readFields(message)];
  const text = (number: number) => {
    const field: ProtobufField | undefined = fields.find((one) => one.number === number);
    return field === undefined ? '' : textOf(field);
  };
  return { key: text(1), value: text(2) };
}

// Numbers of fields in onnx.proto.
const modelFields = { graph: 7, metadata: 14 } as const;
const graphFields = { node: 1, tensor: 5 } as const;
const nodeAttribute = 5;
const attributeFields = { tensor: 5, graph: 6, tensors: 10, graphs: 11 } as const;
const tensorLocation = 14;
const graphsInGraphsMax = 8;

function refuseOtherFiles(graph: Uint8Array, depth: number): void {
  if (depth > graphsInGraphsMax) throw new ProtobufError('graphs in graphs without end');
  for (const { number, bytes } of readFields(graph)) {
    if (bytes === undefined) continue;
    if (number === graphFields.tensor) refuseOtherFile(bytes);
    if (number === graphFields.node) refuseOfNode(bytes, depth);
  }
}

function refuseOfNode(node: Uint8Array, depth: number): void {
  for (const attribute of readFields(node)) {
    if (attribute.number !== nodeAttribute || attribute.bytes === undefined) continue;
    for (const { number, bytes } of readFields(attribute.bytes)) {
      if (bytes === undefined) continue;
      const { tensor, tensors, graph, graphs } = attributeFields;
      if (number === tensor || number === tensors) refuseOtherFile(bytes);
      if (number === graph || number === graphs) refuseOtherFiles(bytes, depth + 1);
    }
  }
}

function refuseOtherFile(tensor: Uint8Array): void {
  for (const { number, varint } of readFields(tensor)) {
    if (number !== tensorLocation || varint === 0) continue;
    throw invalidArgument(
      'model',
      'keeps its weights in another file',
      'Save the model as one file, for example with onnx.save_model(…, save_as_external_data=False).',
    );
  }
}
